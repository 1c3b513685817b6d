//! Language models: one trait, and what goes in and comes out of it.
//!
//! A model is named by a string, `"gemini/gemini-2.5-flash"`, or given as a value. Everything here
//! is plain data in Genkit's JSON; a provider turns it into its own wire format and back.
//!
//! A model of your own is one method:
//!
//! ```
//! use genkit::model::{ChunkSink, Generating, Model, ModelRequest, ModelResponse};
//!
//! struct Echo;
//!
//! impl Model for Echo {
//!     fn name(&self) -> &str {
//!         "echo"
//!     }
//!
//!     fn generate<'a>(&'a self, request: &'a ModelRequest, _: &'a ChunkSink) -> Generating<'a> {
//!         Box::pin(async move {
//!             let text = request.messages.last().map(|message| message.text());
//!             Ok(ModelResponse::text(text.unwrap_or_default()))
//!         })
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> genkit::Result<()> {
//! assert_eq!(genkit::generate("hello").model(Echo).await?.text(), "hello");
//! # Ok(())
//! # }
//! ```

#[cfg(feature = "http-model")]
mod cassette;
mod catalog;
pub(crate) mod documents;
mod error;
mod gemini;
#[cfg(feature = "http-model")]
mod http;
mod info;
mod names;
mod offline;
mod openai;
mod provider;
mod request;
mod response;
pub(crate) mod sampling;
#[cfg(feature = "http-model")]
mod sse;
#[cfg(feature = "http-model")]
mod wire;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::Result;
use crate::future::BoxFuture;

#[cfg(feature = "http-model")]
pub use cassette::Cassette;
pub use catalog::ModelRef;
pub(crate) use catalog::Models;
#[cfg(feature = "gemini")]
pub use gemini::{Gemini, GeminiBuilder};
#[cfg(feature = "http-model")]
pub(crate) use http::{download, forbid_network};
pub use info::{Constrained, ModelInfo, Supports};
pub(crate) use names::Names;
pub use offline::Offline;
#[cfg(feature = "openai")]
pub use openai::{OpenAi, OpenAiBuilder};
pub use provider::Provider;
pub(crate) use request::GENERATED_REF;
pub use request::{Document, ModelRequest, OutputConfig, ToolChoice, ToolDefinition};
pub use response::{FinishReason, GenerateChunk, ModelResponse, Usage};

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
/// sink.send(GenerateChunk::of_text("hel"));
/// sink.send(GenerateChunk::of_text("lo"));
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
