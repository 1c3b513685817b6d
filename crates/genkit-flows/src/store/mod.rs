//! Durable streams: where the events of a stream are kept, so that a client that lost it goes on.

mod error;
mod memory;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::memory::MemoryStreams;

use genkit_core::BoxFuture;
use genkit_core::Result;

/// A store of durable streams: [`MemoryStreams`], or a database that several instances share.
///
/// The server writes each event while a flow runs, and reads them for whoever asks. An `owner` is who may
/// read a stream, as text: the flow, and what
/// [`ContextProvider::owner`](crate::ContextProvider::owner) tells of. It may hold what is secret, the
/// key of [`api_key`](crate::api_key) for one. A store never gives a stream to another owner.
pub trait StreamStore: Send + Sync + 'static {
    /// Opens a stream. `id` is 32 hex digits by chance.
    ///
    /// # Errors
    /// There is a stream of that id already, or no room.
    fn open<'a>(
        &'a self,
        id: &'a str,
        owner: &'a str,
    ) -> BoxFuture<'a, Result<Box<dyn StreamWriter>>>;

    /// The events of a stream, without its first `from` chunks. `None` where there is no such stream of
    /// `owner`, or no longer.
    ///
    /// # Errors
    /// The store cannot be read.
    fn subscribe<'a>(
        &'a self,
        id: &'a str,
        owner: &'a str,
        from: usize,
    ) -> BoxFuture<'a, Result<Option<Box<dyn StreamReader>>>>;
}

/// Stream writer: keeps the events of one stream, the last of which is a result or an error.
pub trait StreamWriter: Send + 'static {
    /// Keeps one event, and tells who reads.
    ///
    /// # Errors
    /// It cannot be kept: the flow is ended then.
    fn write(&mut self, event: StreamEvent) -> BoxFuture<'_, Result<()>>;
}

/// Stream reader: reads the events of one stream.
pub trait StreamReader: Send + 'static {
    /// The next event, waited for where the flow still runs; `None` after the last one.
    ///
    /// # Errors
    /// The store cannot be read.
    fn next(&mut self) -> BoxFuture<'_, Option<Result<StreamEvent>>>;
}

/// Stream event: one of a durable stream.
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
    /// The end: what the flow returned.
    Result(Value),
    /// The end: the error as clients read it, `{"status", "message", "details"?}`.
    Error(Value),
}

impl StreamEvent {
    /// Whether it is the end.
    pub fn is_last(&self) -> bool {
        !matches!(self, Self::Chunk(_))
    }
}
