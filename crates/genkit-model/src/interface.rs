//! The interface of a model: one call, and where its chunks go.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::info::ModelInfo;
use genkit_core::BoxFuture;
use genkit_core::ModelRequest;
use genkit_core::{Error, ErrorKind, Result};
use genkit_core::{GenerateChunk, ModelResponse};

/// Language model: one call, with a request and a response as data.
///
/// For a closure see [`from_fn`](super::from_fn); this is for a model with a type of its own.
///
/// ```
/// use genkit::model::{ChunkSink, Model, ModelInfo, ModelRequest, ModelResponse, Supports};
/// use genkit::{BoxFuture, Result};
///
/// struct Echo {
///     prefix: String,
/// }
///
/// impl Model for Echo {
///     fn name(&self) -> &str {
///         "echo"
///     }
///
///     fn info(&self) -> ModelInfo {
///         ModelInfo::default().with_supports(Supports::text_only())
///     }
///
///     fn generate<'a>(
///         &'a self,
///         request: &'a ModelRequest,
///         _: &'a ChunkSink,
///     ) -> BoxFuture<'a, Result<ModelResponse>> {
///         Box::pin(async move {
///             let said = request.messages.last().map(|message| message.text());
///             Ok(ModelResponse::from_text(format!("{}{}", self.prefix, said.unwrap_or_default())))
///         })
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let echo = Echo { prefix: "You said: ".to_owned() };
/// assert_eq!(genkit::generate("hello").model(echo).await?.text(), "You said: hello");
/// # Ok(())
/// # }
/// ```
///
/// Dropping the future that [`generate`](Self::generate) returns must stop the call.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a model",
    label = "does not implement `genkit::model::Model`",
    note = "implement it, or make a model of a closure with `genkit::model::from_fn`",
    note = "a name goes to `.default_model(\"gemini/gemini-2.5-flash\")` of `Genkit::builder()`, or to `.model(..)` of a request",
    note = "a provider makes models: `Gemini::from_env()?.model(\"gemini-2.5-flash\")`; `Genkit::builder().provider(..)` lets all of its models be named"
)]
pub trait Model: Send + Sync + 'static {
    /// Name that requests use and traces show: `provider/model`.
    fn name(&self) -> &str;

    /// Model info: what it can do. Without `supports` nothing is checked before a call.
    fn info(&self) -> ModelInfo {
        ModelInfo::default()
    }

    /// Generates: answers `request`. Where `chunks` [are wanted](ChunkSink::is_wanted) the answer
    /// is also sent there piece by piece; the response is whole all the same.
    ///
    /// Parts that carry metadata (a thought signature) must come back in later requests as they are.
    fn generate<'a>(
        &'a self,
        request: &'a ModelRequest,
        chunks: &'a ChunkSink,
    ) -> BoxFuture<'a, Result<ModelResponse>>;

    /// Counts the tokens of `request` without asking it: those of its messages, tools and schemas.
    /// `Generate::count_tokens` counts those of a run.
    ///
    /// # Errors
    /// [`Unimplemented`](genkit_core::ErrorKind::Unimplemented) where its provider does not count, which is the
    /// default; else as a call.
    fn count_tokens<'a>(&'a self, request: &'a ModelRequest) -> BoxFuture<'a, Result<u64>> {
        let _ = request;
        Box::pin(std::future::ready(Err(does_not_count(self.name()))))
    }

    /// The body that would be sent, for benches.
    #[doc(hidden)]
    fn body(&self, request: &ModelRequest, stream: bool) -> Option<Result<Vec<u8>>> {
        let _ = (request, stream);
        None
    }
}

/// Nobody counts the tokens of requests to `model` before they are sent.
pub(crate) fn does_not_count(model: &str) -> Error {
    Error::new(
        ErrorKind::Unimplemented,
        format!(
            "`{model}` does not count tokens before a call: the usage of its answers says what they took"
        ),
    )
}

impl<M: Model + ?Sized> Model for Arc<M> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn info(&self) -> ModelInfo {
        (**self).info()
    }

    fn generate<'a>(
        &'a self,
        request: &'a ModelRequest,
        chunks: &'a ChunkSink,
    ) -> BoxFuture<'a, Result<ModelResponse>> {
        (**self).generate(request, chunks)
    }

    fn count_tokens<'a>(&'a self, request: &'a ModelRequest) -> BoxFuture<'a, Result<u64>> {
        (**self).count_tokens(request)
    }

    fn body(&self, request: &ModelRequest, stream: bool) -> Option<Result<Vec<u8>>> {
        (**self).body(request, stream)
    }
}

/// Chunk sink: where a model sends its answer while it is being written.
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
pub struct ChunkSink(Option<Arc<Sink<SendChunk>>>);

type SendChunk = dyn Fn(GenerateChunk) + Send + Sync;

struct Sink<F: ?Sized> {
    sent: AtomicUsize,
    /// Whether whoever would read the chunks has said that nobody will.
    left: Option<Arc<AtomicBool>>,
    send: F,
}

impl ChunkSink {
    /// Chunk sink of nobody.
    pub fn none() -> Self {
        Self(None)
    }

    /// Chunk sink that gives each chunk to `send`.
    pub fn new(send: impl Fn(GenerateChunk) + Send + Sync + 'static) -> Self {
        Self::until(None, send)
    }

    /// The same, until `left` says that nobody reads chunks any more: what answers is a stream all the same.
    pub fn until(
        left: Option<Arc<AtomicBool>>,
        send: impl Fn(GenerateChunk) + Send + Sync + 'static,
    ) -> Self {
        Self(Some(Arc::new(Sink { sent: AtomicUsize::new(0), left, send })))
    }

    /// A sink whose chunks go to `send` and from there to this one, and that is read as long as this one.
    pub fn before(&self, send: impl Fn(GenerateChunk) + Send + Sync + 'static) -> Self {
        let left = self.0.as_ref().and_then(|sink| sink.left.clone());
        Self::until(left, send)
    }

    /// A sink whose chunks are kept until they are asked for.
    #[cfg(all(test, feature = "http"))]
    pub(crate) fn kept() -> (Self, impl Fn() -> Vec<GenerateChunk>) {
        let chunks = Arc::new(std::sync::Mutex::new(Vec::new()));
        let taken = Arc::clone(&chunks);
        let sink = Self::new(move |chunk| genkit_core::internal::sync::lock(&chunks).push(chunk));
        (sink, move || std::mem::take(&mut *genkit_core::internal::sync::lock(&taken)))
    }

    /// Whether anybody wants chunks: a provider makes a streaming call then.
    pub fn is_wanted(&self) -> bool {
        self.0.is_some()
    }

    /// Whether anybody reads them: else they need not be made, and [`skip`](Self::skip) counts them.
    pub fn is_read(&self) -> bool {
        let left = |left: &Arc<AtomicBool>| left.load(Ordering::Relaxed);
        self.0.as_ref().is_some_and(|sink| !sink.left.as_ref().is_some_and(left))
    }

    /// Counts one chunk that was not made, since nobody reads it.
    #[cfg(feature = "http")]
    pub fn skip(&self) {
        if let Some(sink) = &self.0 {
            sink.sent.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Sends one chunk.
    pub fn send(&self, chunk: GenerateChunk) {
        if let Some(sink) = &self.0 {
            sink.sent.fetch_add(1, Ordering::Relaxed);
            (sink.send)(chunk);
        }
    }

    /// Number of chunks that were sent: a call that failed after one must not be made again
    /// silently.
    pub fn count(&self) -> usize {
        self.0.as_ref().map_or(0, |sink| sink.sent.load(Ordering::Relaxed))
    }
}

impl std::fmt::Debug for ChunkSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChunkSink").field("wanted", &self.is_wanted()).finish_non_exhaustive()
    }
}
