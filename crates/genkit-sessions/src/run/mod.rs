//! A call to an agent: its turns, chunks and output.

mod call;
mod open;
mod perform;

use std::future::IntoFuture;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;

use genkit_core::{BoxFuture, Result, Tool, Usage};

use crate::agent::Agent;
use crate::error::Error as E;
use crate::turn::Emitter;
use crate::types::{AgentChunk, AgentInit, AgentInput, AgentOutput};
use call::Call;

/// The number of unread chunks after which a turn waits. Default is 64.
const CHUNKS: usize = 64;

/// The caller of an agent.
#[derive(Clone, Default)]
pub(crate) struct Caller {
    /// The owner of the sessions; empty for the program and for servers without context providers.
    pub(crate) owner: String,
    /// The key under which the client shares memory and concurrency with other clients, if there is no owner.
    pub(crate) client: String,
    pub(crate) action_context: Map<String, Value>,
    /// Whether the caller receives full errors.
    pub(crate) exposes_errors: bool,
    /// Whether the program itself calls the agent, so that no client has chosen the id of the session.
    pub(crate) is_program: bool,
}

impl Caller {
    /// Returns the key of the caller's share of memory and concurrency. It is empty for the program.
    pub(crate) fn share_key(&self) -> &str {
        if self.owner.is_empty() { &self.client } else { &self.owner }
    }

    pub(crate) fn program() -> Self {
        Self { exposes_errors: true, is_program: true, ..Self::default() }
    }
}

/// The options of a call whose session is the thread of a client.
#[derive(Default)]
pub(crate) struct ThreadOptions {
    /// Tools that exist only for this call.
    pub(crate) tools: Vec<Tool>,
    /// The snapshot that must still be the newest.
    pub(crate) after: Option<String>,
    /// Whether a message cancels the open questions.
    pub(crate) cancels_questions: bool,
    /// The maximum number of messages of the snapshot that the turn starts from.
    pub(crate) kept: Option<usize>,
}

/// A call to an agent. Awaiting it returns the [`AgentOutput`]; [`next`](Self::next) returns the chunks first.
#[must_use = "a call begins when it is awaited: add `.await`, or read its chunks with `next`"]
pub struct AgentRun {
    start: Option<Box<Call>>,
    chunks: mpsc::Receiver<AgentChunk>,
    output: Option<oneshot::Receiver<Result<AgentOutput>>>,
    task: Option<AbortHandle>,
    keeps_turn: Arc<AtomicBool>,
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
        let keeps_turn = Arc::<AtomicBool>::default();
        let call = Call {
            agent,
            init,
            inputs,
            caller,
            emitter,
            output: tell,
            permit: None,
            keeps_turn: Arc::clone(&keeps_turn),
            usage: Usage::default(),
            thread: ThreadOptions::default(),
        };
        let (start, output) = (Some(Box::new(call)), Some(output));
        Self { start, chunks, output, task: None, keeps_turn }
    }

    /// Runs the call as a turn of a thread.
    pub(crate) fn in_thread(mut self, options: ThreadOptions) -> Self {
        if let Some(call) = &mut self.start {
            call.thread = options;
        }
        self
    }

    /// Keeps `place` alive until the turn ends, even if the turn continues in the background.
    pub(crate) fn with_permit(mut self, place: impl Send + Sync + 'static) -> Self {
        if let Some(call) = &mut self.start {
            call.permit = Some(Box::new(place));
        }
        self
    }

    /// Returns a flag that must be set before the run is dropped on shutdown, so that the next call of the session
    /// continues the turn.
    pub(crate) fn keeps_turn(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.keeps_turn)
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

    /// Returns the output. Unread chunks are discarded.
    ///
    /// # Errors
    /// Returns the same errors as [`Agent::run`].
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
        // If the output was taken, the task has ended or continues in the background.
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
