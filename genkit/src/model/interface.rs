//! The interface of a model: one call, and where its chunks go.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::info::ModelInfo;
use super::request::ModelRequest;
use super::response::{GenerateChunk, ModelResponse};
use crate::error::Result;
use crate::future::BoxFuture;

/// A model call under way.
pub type Generating<'a> = BoxFuture<'a, Result<ModelResponse>>;

/// A language model.
///
/// Dropping the future that [`generate`](Self::generate) returns must stop the call.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a model",
    label = "neither a model nor its name",
    note = "give a name, as `\"gemini/gemini-2.5-flash\"`, or a value that implements `genkit::model::Model`"
)]
pub trait Model: Send + Sync + 'static {
    /// The name that requests use and traces show: `provider/model`.
    fn name(&self) -> &str;

    /// What it can do. Without `supports` nothing is checked before a call.
    fn info(&self) -> ModelInfo {
        ModelInfo::default()
    }

    /// Answers `request`. Where `chunks` [are wanted](ChunkSink::is_wanted) the answer is also sent
    /// there piece by piece; the response is whole all the same.
    ///
    /// Parts that carry metadata (a thought signature) must come back in later requests as they are.
    fn generate<'a>(&'a self, request: &'a ModelRequest, chunks: &'a ChunkSink) -> Generating<'a>;
}

impl<M: Model + ?Sized> Model for Arc<M> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn info(&self) -> ModelInfo {
        (**self).info()
    }

    fn generate<'a>(&'a self, request: &'a ModelRequest, chunks: &'a ChunkSink) -> Generating<'a> {
        (**self).generate(request, chunks)
    }
}

/// Where a model sends its answer while it is being written.
///
/// ```
/// use genkit::model::{ChunkSink, GenerateChunk};
/// use std::sync::{Arc, Mutex};
///
/// let seen = Arc::new(Mutex::new(String::new()));
/// let text = Arc::clone(&seen);
/// let sink = ChunkSink::new(move |chunk| text.lock().unwrap().push_str(&chunk.text()));
/// sink.send(GenerateChunk::from_text("hel"));
/// sink.send(GenerateChunk::from_text("lo"));
/// assert_eq!(*seen.lock().unwrap(), "hello");
/// assert_eq!(sink.count(), 2);
/// assert!(!ChunkSink::none().is_wanted());
/// ```
#[derive(Clone)]
pub struct ChunkSink(Option<Arc<Sink>>);

struct Sink {
    send: Box<dyn Fn(GenerateChunk) + Send + Sync>,
    sent: AtomicUsize,
}

impl ChunkSink {
    /// Nobody wants chunks.
    pub fn none() -> Self {
        Self(None)
    }

    /// Each chunk goes to `send`.
    pub fn new(send: impl Fn(GenerateChunk) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(Sink { send: Box::new(send), sent: AtomicUsize::new(0) })))
    }

    /// Whether anybody wants chunks: a provider makes a streaming call then.
    pub fn is_wanted(&self) -> bool {
        self.0.is_some()
    }

    /// Sends one chunk.
    pub fn send(&self, chunk: GenerateChunk) {
        if let Some(sink) = &self.0 {
            sink.sent.fetch_add(1, Ordering::Relaxed);
            (sink.send)(chunk);
        }
    }

    /// How many chunks were sent: a call that failed after one must not be made again silently.
    pub fn count(&self) -> usize {
        self.0.as_ref().map_or(0, |sink| sink.sent.load(Ordering::Relaxed))
    }
}

impl std::fmt::Debug for ChunkSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChunkSink").field("wanted", &self.is_wanted()).finish_non_exhaustive()
    }
}
