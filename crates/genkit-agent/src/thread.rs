//! Agents that store their conversations, for the crates that serve agents over other protocols.

use serde_json::{Map, Value};

use genkit_core::{
    Answer, BoxFuture, Error, FinishReason, GenerateChunk, Message, Result, Tool, Usage,
};

/// An agent that stores its conversations, which are called threads.
pub trait ThreadAgent: Send + Sync + 'static {
    /// Checks that the agent can be served. Called before the server starts.
    fn check_served(&self) -> Result<()>;

    /// Returns the tools that the agent has in every turn.
    fn known_tools(&self) -> Vec<Tool>;

    /// Loads the newest state of a thread of this owner. Returns `None` if the thread does not exist.
    fn load_thread<'a>(
        &'a self,
        owner: &'a str,
        thread: &'a str,
    ) -> BoxFuture<'a, Result<Option<ThreadState>>>;

    /// Starts a turn. It makes progress while its chunks are read, and is cancelled when it is dropped.
    fn begin_turn(&self, turn: ThreadTurn) -> Box<dyn ThreadRun>;
}

/// The state of a thread between two turns.
#[derive(Clone, Debug, Default)]
pub struct ThreadState {
    /// The id of the snapshot.
    pub snapshot: String,
    pub messages: Vec<Message>,
    pub custom: Value,
    /// Whether a turn runs in the background.
    pub is_running: bool,
}

/// A turn of a thread: a message, or answers to the questions of the snapshot `after`. If there is a message, `answers`
/// contains only the results of calls.
#[derive(Default)]
pub struct ThreadTurn {
    pub owner: String,
    /// The key of the client in the shared memory budget, used if the thread has no owner.
    pub client: String,
    pub thread: String,
    pub action_context: Map<String, Value>,
    /// Whether the error of the turn is returned in full.
    pub exposes_errors: bool,
    /// Tools that exist only for this turn.
    pub tools: Vec<Tool>,
    pub message: Option<Message>,
    pub answers: Vec<Answer>,
    /// The snapshot that must still be the newest.
    pub after: Option<String>,
    /// Whether the message cancels the open questions. If not, the message is rejected while a question is open.
    pub cancels_questions: bool,
    /// The number of messages of `after` to keep: the turn starts at the newest snapshot with at most this number of
    /// messages.
    pub kept: Option<usize>,
}

/// A running turn.
pub trait ThreadRun: Send {
    /// Returns the next chunk, or `None` after the last.
    fn next_chunk(&mut self) -> BoxFuture<'_, Option<ThreadChunk>>;

    /// Waits until the turn ends, and returns its final state.
    fn into_end(self: Box<Self>) -> BoxFuture<'static, Result<ThreadEnd>>;

    /// Keeps the turn open when this value is dropped, so that another process can continue the turn.
    fn keep_turn(&self);
}

/// A chunk of a running turn.
pub enum ThreadChunk {
    Model(GenerateChunk),
    /// A change of the custom state, as a JSON Patch.
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
