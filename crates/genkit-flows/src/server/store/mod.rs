//! Durable streams: stores the events of a stream, so that a client that lost the stream can resume it.

mod error;
mod memory;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::memory::MemoryStreams;

use genkit_core::BoxFuture;
use genkit_core::Result;

/// A store of durable streams: [`MemoryStreams`], or a database that several instances share.
///
/// The server writes each event while a flow runs, and reads the events for clients that resume the stream. The `owner`
/// identifies who can read a stream. It consists of the name of the flow and of the value of
/// [`ContextProvider::owner`](crate::ContextProvider::owner) or a hash of the action context. A store must never return
/// a stream to another owner.
pub trait StreamStore: Send + Sync + 'static {
    /// Opens a stream. `id` consists of 32 random hex digits.
    ///
    /// # Errors
    /// Returns an error if a stream with this id already exists, or the store is full.
    fn open<'a>(
        &'a self,
        id: &'a str,
        owner: &'a str,
    ) -> BoxFuture<'a, Result<Box<dyn StreamWriter>>>;

    /// Opens a stream whose memory counts against `client`: the owner, or the address group of a client without an
    /// owner. The default implementation ignores `client` and calls [`open`](Self::open).
    ///
    /// # Errors
    /// Returns the same errors as [`open`](Self::open).
    fn open_for<'a>(
        &'a self,
        id: &'a str,
        owner: &'a str,
        client: &'a str,
    ) -> BoxFuture<'a, Result<Box<dyn StreamWriter>>> {
        let _ = client;
        self.open(id, owner)
    }

    /// Returns a reader of the events of a stream, without its first `from` chunks. Returns `None` if `owner` has no
    /// such stream, or if it has expired.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    fn subscribe<'a>(
        &'a self,
        id: &'a str,
        owner: &'a str,
        from: usize,
    ) -> BoxFuture<'a, Result<Option<Box<dyn StreamReader>>>>;
}

/// A writer that stores the events of one stream. The last event is a result or an error.
pub trait StreamWriter: Send + 'static {
    /// Stores an event and notifies the readers.
    ///
    /// # Errors
    /// Returns an error if the event cannot be stored; the flow is then stopped.
    fn write(&mut self, event: StreamEvent) -> BoxFuture<'_, Result<()>>;
}

/// A reader of the events of one stream.
pub trait StreamReader: Send + 'static {
    /// Returns the next event, waiting for it while the flow runs. Returns `None` after the last event.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    fn next(&mut self) -> BoxFuture<'_, Option<Result<StreamEvent>>>;
}

/// An event of a durable stream.
///
/// ```
/// use genkit::flows::StreamEvent;
/// use serde_json::json;
///
/// let stored = serde_json::to_value(StreamEvent::Chunk(json!({"count": 1})))?;
/// assert_eq!(stored, json!({"type": "chunk", "value": {"count": 1}}));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "camelCase")]
pub enum StreamEvent {
    /// A chunk of the flow.
    Chunk(Value),
    /// The last event: the result of the flow.
    Result(Value),
    /// The last event: the error as sent to clients, `{"status", "message", "details"?}`.
    Error(Value),
}

impl StreamEvent {
    /// Returns whether this is the last event.
    pub fn is_last(&self) -> bool {
        !matches!(self, Self::Chunk(_))
    }
}
