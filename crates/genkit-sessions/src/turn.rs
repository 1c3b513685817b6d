//! A turn: the interface for handlers, and the turns of a model.

use std::sync::{Arc, Mutex};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio::sync::mpsc;

use genkit_agent::Generate;
use genkit_agent::internal::close_calls;
use genkit_core::internal::generate::interrupt::set_pending;
use genkit_core::internal::sync::lock;
use genkit_core::{
    Context, Error, FinishReason, GenerateChunk, GenerateOptions, GenerateResponse, Message, Part,
    Result, Resume, Role, Usage,
};

use crate::agent::Agent;
use crate::custom_state::{diff, replace_all};
use crate::error::Error as E;
use crate::types::{AgentChunk, AgentFinishReason, AgentInput, AgentState, Artifact};

/// Sends chunks to the caller; does nothing if the caller does not read chunks.
#[derive(Clone)]
pub(crate) struct Emitter(pub(crate) Option<mpsc::Sender<AgentChunk>>);

impl Emitter {
    pub(crate) async fn send(&self, chunk: AgentChunk) {
        if let Some(sender) = &self.0 {
            let _ = sender.send(chunk).await;
        }
    }
}

/// The running turn of an agent with a handler: its input, the session and ways to report progress. Clones share the
/// turn.
#[derive(Clone)]
pub struct AgentTurn(Arc<TurnParts>);

struct TurnParts {
    input: AgentInput,
    state: Mutex<AgentState>,
    /// The custom state that was last sent to the client.
    known: tokio::sync::Mutex<Option<Value>>,
    emitter: Emitter,
    context: Context,
    /// The names of the agents that the conversation can be handed over to.
    targets: Vec<String>,
    next: Mutex<Option<String>>,
    /// The agent of the session.
    agent: Agent,
}

impl AgentTurn {
    pub(crate) fn new(
        input: AgentInput,
        state: AgentState,
        emitter: Emitter,
        context: Context,
        targets: Vec<String>,
        agent: Agent,
    ) -> Self {
        let (state, known) = (Mutex::new(state), tokio::sync::Mutex::default());
        let next = Mutex::default();
        Self(Arc::new(TurnParts { input, state, known, emitter, context, targets, next, agent }))
    }

    /// Returns the input of the turn. Its message is already part of the history.
    pub fn input(&self) -> &AgentInput {
        &self.0.input
    }

    /// Returns the id of the session.
    pub fn session_id(&self) -> String {
        lock(&self.0.state).session_id.clone().unwrap_or_default()
    }

    /// Returns the messages of the history so far.
    pub fn messages(&self) -> Vec<Message> {
        lock(&self.0.state).messages.clone()
    }

    /// Adds a message to the history. The handler's returned message is added automatically.
    pub fn push_message(&self, message: Message) {
        lock(&self.0.state).messages.push(message);
    }

    /// Returns the action context of the caller. It is empty outside a server.
    pub fn action_context(&self) -> &Map<String, Value> {
        self.0.context.action_context()
    }

    /// Returns the context of the turn. If the process is killed, the turn runs again from the start with the saved
    /// results of [`once`](Context::once), model calls and sub-agents. Sessions in memory do not save such results.
    pub fn context(&self) -> &Context {
        &self.0.context
    }

    /// Hands the conversation over to another agent. The handler still responds in this turn; the other agent responds
    /// from the next turn on. The other agent must be a target in this agent's
    /// [`hand_over_to`](crate::AgentBuilder::hand_over_to), or must have this agent as a target.
    ///
    /// # Errors
    /// Returns `InvalidArgument` if the conversation cannot be handed over to an agent with this name.
    #[doc(alias = "handoff")]
    pub fn hand_over_to(&self, agent: &str) -> Result<()> {
        if !self.0.targets.iter().any(|target| target == agent) {
            return Err(E::NoTarget(agent.to_owned()).into());
        }
        *lock(&self.0.next) = Some(agent.to_owned());
        Ok(())
    }

    pub(crate) fn next_agent(&self) -> Option<String> {
        lock(&self.0.next).clone()
    }

    /// Returns the custom state.
    ///
    /// # Errors
    /// Returns `FailedPrecondition` if the state does not match the type.
    pub fn custom<T: DeserializeOwned>(&self) -> Result<T> {
        Ok(T::deserialize(&lock(&self.0.state).custom).map_err(E::CustomState)?)
    }

    /// Replaces the custom state, and sends the change to the client.
    ///
    /// # Errors
    /// Returns `FailedPrecondition` if the value cannot be serialized, and `InvalidArgument` if it does not match the
    /// type set with [`state`](crate::AgentBuilder::state) of the session's agent.
    pub async fn set_custom(&self, custom: impl Serialize) -> Result<()> {
        let new = serde_json::to_value(custom).map_err(E::CustomState)?;
        self.0.agent.check_custom(&new)?;
        let mut known = self.0.known.lock().await;
        lock(&self.0.state).custom = new.clone();
        let patch = match &*known {
            None => replace_all(&new),
            Some(old) => diff(old, &new),
        };
        if !patch.is_empty() {
            self.0.emitter.send(AgentChunk::CustomPatch(patch)).await;
        }
        *known = Some(new);
        Ok(())
    }

    /// Adds an artifact, or replaces the artifact with the same name, and sends it to the client.
    pub async fn put_artifact(&self, artifact: Artifact) {
        lock(&self.0.state).put_artifact(artifact.clone());
        self.0.emitter.send(AgentChunk::Artifact(artifact)).await;
    }

    /// Returns the artifacts of the session.
    pub fn artifacts(&self) -> Vec<Artifact> {
        lock(&self.0.state).artifacts.clone()
    }

    /// Sends a chunk to the client.
    pub async fn send_chunk(&self, chunk: GenerateChunk) {
        self.0.emitter.send(AgentChunk::ModelChunk(chunk)).await;
    }

    /// Resolves when the turn is aborted. The future of the handler is dropped at that point; use this method to stop
    /// tasks that the handler spawned.
    pub async fn cancelled(&self) {
        self.0.context.cancelled().await;
    }

    pub(crate) fn state(&self) -> AgentState {
        lock(&self.0.state).clone()
    }
}

impl std::fmt::Debug for AgentTurn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentTurn").field("session_id", &self.session_id()).finish_non_exhaustive()
    }
}

/// The end of a turn of a model or a handler.
pub(crate) struct TurnResult {
    pub(crate) state: AgentState,
    pub(crate) message: Option<Message>,
    pub(crate) finish: AgentFinishReason,
    /// The error, and whether the state includes finished rounds.
    pub(crate) error: Option<(Error, bool)>,
    pub(crate) usage: Usage,
}

impl TurnResult {
    /// Creates the result of a turn without a message.
    pub(crate) fn from_state(state: AgentState) -> Self {
        let (message, finish, usage) = (None, AgentFinishReason::Stop, Usage::default());
        Self { state, message, finish, error: None, usage }
    }

    /// Creates the result of a turn that failed before its first result.
    pub(crate) fn failed(state: AgentState, error: impl Into<Error>) -> Self {
        let error = Some((error.into(), false));
        Self { finish: AgentFinishReason::Failed, error, ..Self::from_state(state) }
    }

    /// Creates the result of a turn that failed after a result.
    pub(crate) fn failed_after(state: AgentState, error: impl Into<Error>) -> Self {
        let error = Some((error.into(), true));
        Self { finish: AgentFinishReason::Failed, error, ..Self::from_state(state) }
    }
}

/// Checks an input against the state, before the turn.
pub(crate) fn check_input(
    input: &AgentInput,
    state: &AgentState,
    may_repeat: bool,
    cancels_questions: bool,
) -> Result<(), E> {
    let asks = waits_for_answers(&state.messages);
    match (&input.message, &input.resume) {
        (Some(_), Some(_)) if !cancels_questions => Err(E::BothSent),
        (Some(message), _) if message.role != Role::User => Err(E::NotAUserMessage(message.role)),
        (Some(_), Some(resume)) => check_resume(resume, &state.messages, asks),
        (Some(_), None) if asks && !cancels_questions => Err(E::WaitsForAnswers),
        (Some(_), None) => Ok(()),
        (None, Some(resume)) => check_resume(resume, &state.messages, asks),
        (None, None) if may_repeat && !asks => Ok(()),
        (None, None) => Err(E::NothingSent),
    }
}

fn waits_for_answers(messages: &[Message]) -> bool {
    let last = messages.last().filter(|last| last.role == Role::Model);
    last.is_some_and(|last| last.tool_requests().next().is_some())
}

/// Adds a response to each open call of the last turn before a new user message: the result in the input, or a note
/// that the call was not run.
pub(crate) fn close_questions(state: &mut AgentState, input: &mut AgentInput) -> Result<()> {
    if input.message.is_none() || !waits_for_answers(&state.messages) {
        return Ok(());
    }
    let results = input.resume.take().map(|resume| resume.respond).unwrap_or_default();
    if let Some(last) = state.messages.last_mut() {
        for part in &mut last.content {
            let Some(call) = part.as_tool_request() else { continue };
            let is_of_call = |it: &&Part| {
                it.as_tool_response().is_some_and(|it| it.name == call.name && it.id == call.id)
            };
            if let Some(result) = results.iter().find(is_of_call) {
                set_pending(part, result.clone());
            }
        }
    }
    close_calls(&mut state.messages)
}

/// Checks that the answers belong to requests in the history. Looks up names and references from the newest message on.
fn check_resume(resume: &Resume, messages: &[Message], asks: bool) -> Result<(), E> {
    if !asks || (resume.respond.is_empty() && resume.restart.is_empty()) {
        return Err(E::NothingAsked);
    }
    let find = |name: &str, reference: Option<&str>| {
        let requests = messages.iter().rev().flat_map(Message::tool_requests);
        let mut same = requests.filter(|it| it.name == name && it.id.as_deref() == reference);
        same.next().ok_or_else(|| E::UnknownCall(name.to_owned()))
    };
    for response in resume.respond.iter().filter_map(Part::as_tool_response) {
        find(&response.name, response.id.as_deref())?;
    }
    for request in resume.restart.iter().filter_map(Part::as_tool_request) {
        if find(&request.name, request.id.as_deref())?.input != request.input {
            return Err(E::ModifiedInput(request.name.clone()));
        }
    }
    Ok(())
}

/// Runs a turn with the agent loop.
pub(crate) async fn run_model(
    template: Generate,
    input: AgentInput,
    mut state: AgentState,
    emitter: &Emitter,
) -> TurnResult {
    let before = state.clone();
    let (run, kept) = match input.resume {
        Some(resume) => {
            let interrupted =
                GenerateResponse::from_interrupted(GenerateOptions::new(state.messages.clone()));
            let kept = state.messages.len().saturating_sub(1);
            (template.resume_with_answers(interrupted, resume.into_answers()), kept)
        }
        None => {
            state.messages.extend(input.message);
            let kept = state.messages.len();
            (template.messages(state.messages.clone()), kept)
        }
    };
    let mut stream = run.stream();
    let ended = loop {
        match stream.next().await {
            Some(Ok(chunk)) => emitter.send(AgentChunk::ModelChunk(chunk)).await,
            // The first error holds the finished rounds.
            Some(Err(error)) => break Err(error),
            None => break stream.response().await,
        }
    };
    match ended {
        Ok(response) => {
            let reason = response.finish_reason.unwrap_or(FinishReason::Unknown);
            let message = response.message.clone();
            if reason == FinishReason::Interrupted
                && let Some(message) = &message
            {
                let requests =
                    message.content.iter().filter(|part| part.as_tool_request().is_some());
                let mut chunk = GenerateChunk::new(requests.cloned());
                chunk.role = Some(Role::Tool);
                emitter.send(AgentChunk::ModelChunk(chunk)).await;
            }
            let usage = response.usage.clone();
            keep_new(&mut state.messages, kept, response.into_messages());
            TurnResult { message, finish: reason.into(), usage, ..TurnResult::from_state(state) }
        }
        Err(error) => {
            let usage = error.partial().map(|partial| partial.usage.clone()).unwrap_or_default();
            let rounds = error.partial().cloned().map(GenerateResponse::into_messages);
            let rounds = rounds
                .map(trim_to_tool_results)
                .filter(|rounds| without_prompt(rounds).len() > kept);
            let Some(rounds) = rounds else {
                return TurnResult { usage, ..TurnResult::failed(before, error) };
            };
            keep_new(&mut state.messages, kept, rounds);
            TurnResult { usage, ..TurnResult::failed_after(state, error) }
        }
    }
}

/// Returns the messages without the instructions of the agent, which are rendered for each turn and never stored.
fn without_prompt(messages: &[Message]) -> &[Message] {
    let prompt = messages.iter().take_while(|message| message.role == Role::System).count();
    &messages[prompt..]
}

fn keep_new(messages: &mut Vec<Message>, kept: usize, all: Vec<Message>) {
    let all = without_prompt(&all);
    if all.len() < kept {
        *messages = all.to_vec(); // Middleware has compacted the history.
        return;
    }
    messages.truncate(kept);
    messages.extend_from_slice(&all[kept..]);
}

/// Removes the messages after the last tool results, so that every call has a result.
fn trim_to_tool_results(mut messages: Vec<Message>) -> Vec<Message> {
    while messages.last().is_some_and(|last| last.role == Role::Model) {
        messages.pop();
    }
    messages
}
