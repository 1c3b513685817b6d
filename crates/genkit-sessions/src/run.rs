//! A call of an agent: its turns, chunks and output.

use std::future::IntoFuture;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

use genkit_core::internal::run_store::now_ms;
use genkit_core::internal::sync::lock;
use genkit_core::{BoxFuture, Error, Message, Result};

use crate::agent::{Agent, Kind};
use crate::error::Error as E;
use crate::store::{Entry, SessionKey, Sessions, Turnstile, Worker};
use crate::turn::{AgentTurn, Emitter, TurnResult, check_input, run_model};
use crate::types::{
    AgentChunk, AgentFailure, AgentFinish, AgentInit, AgentInput, AgentOutput, AgentState,
    SnapshotStatus, TurnEnd,
};

/// The number of unread chunks after which a turn waits. Default is 64.
const CHUNKS: usize = 64;

/// The maximum number of inputs of a call. Default is 100.
const MAX_INPUTS: usize = 100;

/// Who calls an agent.
#[derive(Clone, Default)]
pub(crate) struct Caller {
    /// The owner of the sessions; empty for the program and for servers without context providers.
    pub(crate) owner: String,
    pub(crate) action_context: Map<String, Value>,
    /// Whether the caller receives full errors.
    pub(crate) exposes_errors: bool,
}

impl Caller {
    pub(crate) fn program() -> Self {
        Self { exposes_errors: true, ..Self::default() }
    }
}

/// A call of an agent. Awaiting it returns the [`AgentOutput`]; [`next`](Self::next) returns the chunks first.
#[must_use = "a call begins when it is awaited: add `.await`, or read its chunks with `next`"]
pub struct AgentRun {
    start: Option<Box<Call>>,
    chunks: mpsc::Receiver<AgentChunk>,
    output: Option<oneshot::Receiver<Result<AgentOutput>>>,
    task: Option<AbortHandle>,
}

struct Call {
    agent: Agent,
    init: AgentInit,
    inputs: Vec<AgentInput>,
    caller: Caller,
    emitter: Emitter,
    output: Option<oneshot::Sender<Result<AgentOutput>>>,
    /// Held until the turn ends, also if it continues in the background.
    place: Option<Box<dyn Send + Sync>>,
}

impl AgentRun {
    pub(crate) fn new(
        agent: Agent,
        init: AgentInit,
        inputs: Vec<AgentInput>,
        caller: Caller,
    ) -> Self {
        let (sender, chunks) = mpsc::channel(CHUNKS);
        let (tell, output) = oneshot::channel();
        let (emitter, tell) = (Emitter(Some(sender)), Some(tell));
        let call = Call { agent, init, inputs, caller, emitter, output: tell, place: None };
        Self { start: Some(Box::new(call)), chunks, output: Some(output), task: None }
    }

    /// Holds `place` until the turn ends, also if it continues in the background.
    pub(crate) fn holding(mut self, place: impl Send + Sync + 'static) -> Self {
        if let Some(call) = &mut self.start {
            call.place = Some(Box::new(place));
        }
        self
    }

    fn begin(&mut self) {
        if let Some(call) = self.start.take() {
            self.task = Some(tokio::spawn(call.drive()).abort_handle());
        }
    }

    /// Returns the next chunk, or `None` after the last.
    pub async fn next(&mut self) -> Option<AgentChunk> {
        self.begin();
        self.chunks.recv().await
    }

    /// Returns the output. Chunks that were not read are dropped.
    ///
    /// # Errors
    /// The same as for [`Agent::run`].
    pub async fn output(mut self) -> Result<AgentOutput> {
        self.begin();
        self.chunks.close();
        let output = match &mut self.output {
            Some(output) => output.await,
            None => return Err(E::Panicked.into()),
        };
        self.output = None;
        output.unwrap_or_else(|_| Err(E::Panicked.into()))
    }
}

impl Drop for AgentRun {
    fn drop(&mut self) {
        // A task whose output was taken has ended, or continues in the background.
        if let (Some(task), Some(_)) = (&self.task, &self.output) {
            task.abort();
        }
    }
}

impl IntoFuture for AgentRun {
    type Output = Result<AgentOutput>;
    type IntoFuture = BoxFuture<'static, Result<AgentOutput>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.output())
    }
}

impl std::fmt::Debug for AgentRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentRun").field("has_begun", &self.start.is_none()).finish_non_exhaustive()
    }
}

/// A session that a call has opened.
struct Open {
    state: AgentState,
    /// The snapshot that `state` is from.
    parent: Option<String>,
    /// Whether an empty input may run the last turn again.
    may_repeat: bool,
    turnstile: Option<Turnstile>,
}

/// Why a session was not opened.
enum NotOpened {
    /// The call fails.
    Misused(Error),
    /// The call returns a failed output.
    Failed(Error),
}

impl From<E> for NotOpened {
    fn from(error: E) -> Self {
        match error {
            E::StateGiven(_) | E::NoStore(_) | E::OtherSession(_) | E::SessionId => {
                Self::Misused(error.into())
            }
            other => Self::Failed(other.into()),
        }
    }
}

impl From<Error> for NotOpened {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// A worker in the table of its process, removed on drop.
struct Listed {
    sessions: Arc<Sessions>,
    id: String,
    _ended: DropGuard,
}

impl Listed {
    fn new(sessions: &Arc<Sessions>, id: &str, cancel: CancellationToken) -> Self {
        let ended = CancellationToken::new();
        let worker = Worker { cancel, ended: ended.clone() };
        lock(&sessions.workers).insert(id.to_owned(), worker);
        Self { sessions: Arc::clone(sessions), id: id.to_owned(), _ended: ended.drop_guard() }
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        lock(&self.sessions.workers).remove(&self.id);
    }
}

impl Call {
    async fn drive(mut self) {
        let driven = AssertUnwindSafe(self.run_turns()).catch_unwind().await;
        let output = driven.unwrap_or_else(|_| Err(E::Panicked.into()));
        if let Some(tell) = self.output.take() {
            let _ = tell.send(output);
        }
        drop(self.place);
    }

    async fn run_turns(&mut self) -> Result<AgentOutput> {
        let inputs = std::mem::take(&mut self.inputs);
        if inputs.len() > MAX_INPUTS {
            return Err(E::ManyInputs { found: inputs.len(), limit: MAX_INPUTS }.into());
        }
        let init = std::mem::take(&mut self.init);
        let session_id = init.session_id.clone();
        let mut open = match self.open(init).await {
            Ok(open) => open,
            Err(NotOpened::Misused(error)) => return Err(error),
            Err(NotOpened::Failed(error)) => {
                let error = AgentFailure::of(error, self.caller.exposes_errors);
                return Ok(AgentOutput {
                    session_id,
                    snapshot_id: None,
                    state: None,
                    message: None,
                    artifacts: Vec::new(),
                    finish_reason: AgentFinish::Failed,
                    error: Some(error),
                });
            }
        };
        let (mut message, mut finish, mut error) = (None, AgentFinish::Stop, None);
        for input in inputs {
            (message, finish, error) = self.run_turn(&mut open, input).await;
            if error.is_some() || finish == AgentFinish::Aborted {
                break;
            }
        }
        let output = self.output_of(&open, message, finish, error);
        if let Some(turnstile) = open.turnstile {
            turnstile.leave().await;
        }
        Ok(output)
    }

    fn output_of(
        &self,
        open: &Open,
        message: Option<Message>,
        finish_reason: AgentFinish,
        error: Option<AgentFailure>,
    ) -> AgentOutput {
        let is_stored = open.turnstile.is_some();
        AgentOutput {
            session_id: open.state.session_id.clone(),
            snapshot_id: open.parent.clone().filter(|_| is_stored),
            state: (!is_stored).then(|| open.state.clone()),
            message,
            artifacts: open.state.artifacts.clone(),
            finish_reason,
            error,
        }
    }

    /// Opens the session that `init` names.
    async fn open(&self, init: AgentInit) -> Result<Open, NotOpened> {
        let parts = &*self.agent.0;
        let new_id = || uuid::Uuid::new_v4().to_string();
        let Some(sessions) = &parts.sessions else {
            if init.snapshot_id.is_some() || init.session_id.is_some() {
                return Err(E::NoStore(parts.name.clone()).into());
            }
            let mut state = init.state.unwrap_or_else(|| AgentState {
                custom: parts.custom.clone(),
                ..AgentState::default()
            });
            state.session_id.get_or_insert_with(new_id);
            return Ok(Open { state, parent: None, may_repeat: true, turnstile: None });
        };
        if init.state.is_some() {
            return Err(E::StateGiven(parts.name.clone()).into());
        }
        let owner = &*self.caller.owner;
        let (key, session) = match (&init.snapshot_id, init.session_id) {
            (Some(id), given) => {
                let unknown = || E::NoSnapshot(id.clone());
                let key = SessionKey::of_snapshot(id).ok_or_else(unknown)?;
                let record = sessions.load(&key, owner).await?.ok_or_else(unknown)?;
                let entry = record.find(id).ok_or_else(unknown)?;
                if given.is_some_and(|given| given != record.session) {
                    return Err(E::OtherSession(id.clone()).into());
                }
                if !entry.status.is_over() && !sessions.is_idle(&key, owner).await? {
                    return Err(E::Running(id.clone()).into());
                }
                (key, record.session)
            }
            (None, given) => {
                let session = given.unwrap_or_else(new_id);
                (SessionKey::new(&parts.name, owner, &session)?, session)
            }
        };
        let turnstile = sessions.enter(key, &session, owner, parts.queue_timeout).await?;
        let record = &turnstile.record;
        let entry = match &init.snapshot_id {
            // A turn whose process has ended continues from its parent.
            Some(id) => {
                record.find(id).and_then(|entry| match (entry.status.is_over(), &entry.parent) {
                    (false, Some(parent)) => record.find(parent),
                    (is_over, _) => is_over.then_some(entry),
                })
            }
            None => record.newest_over(),
        };
        let (state, parent, may_repeat) = match entry {
            Some(entry) => {
                let may_repeat =
                    matches!(entry.status, SnapshotStatus::Failed | SnapshotStatus::Aborted);
                (record.state_of(entry)?, Some(entry.id.clone()), may_repeat)
            }
            None => {
                let (session_id, custom) = (Some(session), parts.custom.clone());
                (AgentState { session_id, custom, ..AgentState::default() }, None, false)
            }
        };
        Ok(Open { state, parent, may_repeat, turnstile: Some(turnstile) })
    }

    async fn run_turn(
        &mut self,
        open: &mut Open,
        input: AgentInput,
    ) -> (Option<Message>, AgentFinish, Option<AgentFailure>) {
        let detach = input.detach;
        let id = open.turnstile.as_ref().map(Turnstile::new_snapshot);
        let created = now_ms();
        let checked = check_input(&input, &open.state, open.may_repeat)
            .and_then(|()| if detach && id.is_none() { Err(E::CannotDetach) } else { Ok(()) });
        if let Err(error) = checked {
            let error = AgentFailure::of(error.into(), self.caller.exposes_errors);
            return (None, AgentFinish::Failed, Some(error));
        }
        let cancel = CancellationToken::new();
        let mut listed = None;
        if let (true, Some(id), Some(turnstile)) = (detach, &id, &mut open.turnstile) {
            listed = Some(Listed::new(&turnstile.sessions(), id, cancel.clone()));
            let mut state = open.state.clone();
            state.messages.extend(input.message.clone());
            let pending = entry_of(
                id,
                open.parent.as_ref(),
                created,
                SnapshotStatus::Pending,
                &open.state,
                &state,
            );
            if let Err(error) = turnstile.save(pending).await {
                let error = AgentFailure::of(error, self.caller.exposes_errors);
                return (None, AgentFinish::Failed, Some(error));
            }
            let mut output = self.output_of(open, None, AgentFinish::Detached, None);
            output.snapshot_id = Some(id.clone());
            self.emitter = Emitter(None);
            if let Some(tell) = self.output.take() {
                let _ = tell.send(Ok(output));
            }
        }
        let message = input.message.clone().filter(|_| detach);
        let pending = id.as_deref().filter(|_| detach);
        let mut result = self.perform(open, input, &cancel, pending).await;
        if matches!(result.error, Some((_, false))) {
            // The snapshot of the failed turn contains its message, so that the turn can run again.
            result.state.messages.extend(message);
        }
        let ended = self.end_turn(open, id, created, detach, result).await;
        drop(listed);
        ended
    }

    /// Runs the turn within its time limit, until it is aborted.
    async fn perform(
        &self,
        open: &Open,
        input: AgentInput,
        cancel: &CancellationToken,
        pending: Option<&str>,
    ) -> TurnResult {
        let parts = &*self.agent.0;
        let before = || open.state.clone();
        let mut aborted = before();
        aborted.messages.extend(input.message.clone());
        let aborted = move || TurnResult {
            state: aborted,
            message: None,
            finish: AgentFinish::Aborted,
            error: None,
        };
        let watched = async {
            match &open.turnstile {
                Some(turnstile) => turnstile.watch(pending, &self.caller.owner).await,
                None => std::future::pending().await,
            }
        };
        let turn = tokio::time::timeout(parts.timeout, self.respond(before(), input, cancel));
        tokio::select! {
            biased;
            () = cancel.cancelled() => aborted(),
            is_abort = watched => {
                if is_abort { aborted() } else { TurnResult::failed(before(), E::TakenOver) }
            }
            result = turn => {
                result.unwrap_or_else(|_| TurnResult::failed(before(), E::Overdue(parts.timeout)))
            }
        }
    }

    async fn respond(
        &self,
        mut state: AgentState,
        input: AgentInput,
        cancel: &CancellationToken,
    ) -> TurnResult {
        let context = &self.caller.action_context;
        match &self.agent.0.kind {
            Kind::Model(template) => {
                let mut template = template.as_ref().clone();
                if !context.is_empty() {
                    template = template.action_context(context.clone());
                }
                run_model(template, input, state, &self.emitter).await
            }
            Kind::Handler(handler) => {
                let before = state.clone();
                state.messages.extend(input.message.clone());
                let (emitter, context) = (self.emitter.clone(), context.clone());
                let turn = AgentTurn::new(input, state, emitter, cancel.clone(), context);
                let running = AssertUnwindSafe(handler(turn.clone())).catch_unwind().await;
                match running.unwrap_or_else(|_| Err(E::Panicked.into())) {
                    Ok(message) => {
                        turn.push_message(message.clone());
                        let state = turn.state();
                        let message = Some(message);
                        TurnResult { state, message, finish: AgentFinish::Stop, error: None }
                    }
                    Err(error) => TurnResult::failed(before, error),
                }
            }
        }
    }

    /// Saves the end of a turn and tells the client.
    async fn end_turn(
        &self,
        open: &mut Open,
        id: Option<String>,
        created: u64,
        detach: bool,
        result: TurnResult,
    ) -> (Option<Message>, AgentFinish, Option<AgentFailure>) {
        let TurnResult { state, message, finish, error } = result;
        let (error, has_rounds) = match error {
            Some((error, has)) => (Some(AgentFailure::of(error, self.caller.exposes_errors)), has),
            None => (None, false),
        };
        let status = match finish {
            AgentFinish::Failed => SnapshotStatus::Failed,
            AgentFinish::Aborted => SnapshotStatus::Aborted,
            _ => SnapshotStatus::Completed,
        };
        // A turn that failed before its first result leaves no snapshot, unless the client already has its id.
        let leaves_snapshot = detach || has_rounds || error.is_none();
        if let (Some(id), Some(turnstile), true) = (&id, &mut open.turnstile, leaves_snapshot) {
            let mut entry =
                entry_of(id, open.parent.as_ref(), created, status, &open.state, &state);
            (entry.finish, entry.error) = (Some(finish), error.clone());
            if let Err(error) = turnstile.save(entry).await {
                // What is not saved is not acknowledged.
                let error = AgentFailure::of(error, self.caller.exposes_errors);
                return (None, AgentFinish::Failed, Some(error));
            }
            open.parent = Some(id.clone());
        }
        open.may_repeat = status != SnapshotStatus::Completed;
        open.state = state;
        let snapshot_id = open.parent.clone().filter(|_| open.turnstile.is_some());
        let end = TurnEnd { snapshot_id, finish_reason: Some(finish) };
        self.emitter.send(AgentChunk::TurnEnd(end)).await;
        (message, finish, error)
    }
}

/// Describes a snapshot by what it changes in its parent.
fn entry_of(
    id: &str,
    parent: Option<&String>,
    created: u64,
    status: SnapshotStatus,
    before: &AgentState,
    after: &AgentState,
) -> Entry {
    let same =
        before.messages.iter().zip(&after.messages).take_while(|(old, new)| old == new).count();
    Entry {
        id: id.to_owned(),
        parent: parent.cloned(),
        created,
        updated: now_ms(),
        status,
        finish: None,
        error: None,
        kept: same,
        messages: after.messages[same..].to_vec(),
        custom: after.custom.clone(),
        artifacts: after.artifacts.clone(),
    }
}
