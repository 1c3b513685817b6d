//! Agents that keep their conversations themselves, for the crates that serve them with another protocol.

use serde_json::{Map, Value};

use genkit_core::{
    Answer, BoxFuture, Error, FinishReason, GenerateChunk, Message, Result, Tool, Usage,
};

/// An agent that keeps its conversations, which are called threads.
pub trait ThreadAgent: Send + Sync + 'static {
    /// Checks that the agent can be served, before the server starts.
    fn check_served(&self) -> Result<()>;

    /// Returns the tools that the agent has in every turn.
    fn known_tools(&self) -> Vec<Tool>;

    /// Loads the newest state of a thread of this owner; `None` if it does not exist.
    fn load_thread<'a>(
        &'a self,
        owner: &'a str,
        thread: &'a str,
    ) -> BoxFuture<'a, Result<Option<ThreadState>>>;

    /// Begins a turn, which makes progress while its chunks are read, and is cancelled when it is dropped.
    fn begin_turn(&self, turn: ThreadTurn) -> Box<dyn ThreadRun>;
}

/// The state of a thread between two turns.
#[derive(Clone, Debug, Default)]
pub struct ThreadState {
    /// Identifies the state.
    pub snapshot: String,
    pub messages: Vec<Message>,
    pub custom: Value,
    /// Whether a turn runs in the background.
    pub is_running: bool,
}

/// A turn of a thread: a message, or answers to the questions of the snapshot `after`. With a message, `answers` has only
/// the results of calls.
#[derive(Default)]
pub struct ThreadTurn {
    pub owner: String,
    /// The client that shares memory with others, if it has no owner.
    pub client: String,
    pub thread: String,
    pub action_context: Map<String, Value>,
    /// Whether the error of the turn is returned in full.
    pub exposes_errors: bool,
    /// Tools that exist for this turn.
    pub tools: Vec<Tool>,
    pub message: Option<Message>,
    pub answers: Vec<Answer>,
    /// The snapshot that must still be the newest.
    pub after: Option<String>,
    /// Whether the message cancels the open questions. Otherwise it is rejected while a question is open.
    pub cancels_questions: bool,
    /// The number of messages of `after` to keep: the turn begins at the newest snapshot that has no more.
    pub kept: Option<usize>,
}

/// A running turn.
pub trait ThreadRun: Send {
    /// Returns the next chunk, or `None` after the last.
    fn next_chunk(&mut self) -> BoxFuture<'_, Option<ThreadChunk>>;

    /// Returns the end of the turn.
    fn into_end(self: Box<Self>) -> BoxFuture<'static, Result<ThreadEnd>>;

    /// Notes that another process continues the turn when it is dropped.
    fn keep_turn(&self);
}

/// A piece of a turn's progress.
pub enum ThreadChunk {
    Model(GenerateChunk),
    /// A change of the custom state as JSON Patch.
    CustomPatch(Vec<Value>),
    /// A document that the agent has produced.
    Artifact(Value),
}

/// The end of a turn.
pub struct ThreadEnd {
    pub snapshot: String,
    pub message: Option<Message>,
    pub finish_reason: FinishReason,
    /// The error of a failed turn, with a message for the client.
    pub error: Option<Error>,
    pub usage: Usage,
}
