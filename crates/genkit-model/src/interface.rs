//! The trait that every model implements, and the sink for its chunks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::info::ModelInfo;
use genkit_core::BoxFuture;
use genkit_core::ModelRequest;
use genkit_core::{Error, ErrorKind, Result};
use genkit_core::{GenerateChunk, ModelResponse};

/// A language model: it takes a request and returns a response. Both are plain data.
///
/// To make a model from a closure, see [`from_fn`](super::from_fn). Implement this trait if the model needs its own
/// type.
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
    note = "implement it, or create a model from a closure with `genkit::model::from_fn`",
    note = "pass the name of a model to `.default_model(\"gemini/gemini-2.5-flash\")` of `Genkit::builder()`, or to `.model(..)` of a request",
    note = "a provider creates models: `Gemini::from_env()?.model(\"gemini-2.5-flash\")`; register it with `Genkit::builder().provider(..)` to refer to its models by name"
)]
pub trait Model: Send + Sync + 'static {
    /// Returns the name of the model, `provider/model`, as used in requests and shown in traces.
    fn name(&self) -> &str;

    /// Returns the model info, with the capabilities of the model. If `supports` is `None`, nothing is checked
    /// before a call.
    fn info(&self) -> ModelInfo {
        ModelInfo::default()
    }

    /// Generates a response to `request`. If [`chunks.is_wanted()`](ChunkSink::is_wanted), the
    /// response is also sent to `chunks` piece by piece; the returned response is complete in
    /// either case.
    ///
    /// If the metadata of a part in `request` contains data of the provider, such as a thought signature, the
    /// implementation must send that data back unchanged.
    fn generate<'a>(
        &'a self,
        request: &'a ModelRequest,
        chunks: &'a ChunkSink,
    ) -> BoxFuture<'a, Result<ModelResponse>>;

    /// Counts the tokens of `request`, including its messages, tools and schemas, without
    /// generating a response. To count the tokens of a run, use
    /// `Generate::count_tokens`.
    ///
    /// # Errors
    /// Returns [`Unimplemented`](genkit_core::ErrorKind::Unimplemented) if the provider cannot count
    /// tokens, which is the default. Otherwise returns the same errors as a call.
    fn count_tokens<'a>(&'a self, request: &'a ModelRequest) -> BoxFuture<'a, Result<u64>> {
        let _ = request;
        Box::pin(std::future::ready(Err(cannot_count_error(self.name()))))
    }

    /// Returns the request body that would be sent, for benchmarks.
    #[doc(hidden)]
    fn body(&self, request: &ModelRequest, stream: bool) -> Option<Result<Vec<u8>>> {
        let _ = (request, stream);
        None
    }
}

/// Returns the error for a model whose provider cannot count tokens before a call.
pub(crate) fn cannot_count_error(model: &str) -> Error {
    Error::new(
        ErrorKind::Unimplemented,
        format!(
            "`{model}` does not count tokens before a call; read the usage of its response instead"
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

/// A sink for the chunks that a model sends while it generates its response.
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
    /// Set to true once the receiver has been dropped.
    is_reader_gone: Option<Arc<AtomicBool>>,
    send: F,
}

impl ChunkSink {
    /// Creates a sink that discards every chunk.
    pub fn none() -> Self {
        Self(None)
    }

    /// Creates a sink that passes each chunk to `send`.
    pub fn new(send: impl Fn(GenerateChunk) + Send + Sync + 'static) -> Self {
        Self::until(None, send)
    }

    /// Creates a sink like [`new`](Self::new) whose chunks are no longer read once `left` is true. The provider
    /// still makes a streaming call.
    #[doc(hidden)]
    pub fn until(
        left: Option<Arc<AtomicBool>>,
        send: impl Fn(GenerateChunk) + Send + Sync + 'static,
    ) -> Self {
        Self(Some(Arc::new(Sink { sent: AtomicUsize::new(0), is_reader_gone: left, send })))
    }

    /// Creates a sink that passes each chunk to `send`, which should forward it to `self`. The chunks of the new sink
    /// are read as long as the chunks of `self` are.
    #[doc(hidden)]
    pub fn before(&self, send: impl Fn(GenerateChunk) + Send + Sync + 'static) -> Self {
        let left = self.0.as_ref().and_then(|sink| sink.is_reader_gone.clone());
        Self::until(left, send)
    }

    /// Creates a sink that collects its chunks, and a function that takes the chunks collected so
    /// far.
    #[cfg(any(test, feature = "testing"))]
    #[doc(hidden)]
    pub fn collect_chunks() -> (Self, impl Fn() -> Vec<GenerateChunk>) {
        let chunks = Arc::new(std::sync::Mutex::new(Vec::new()));
        let taken = Arc::clone(&chunks);
        let sink = Self::new(move |chunk| genkit_core::internal::sync::lock(&chunks).push(chunk));
        (sink, move || std::mem::take(&mut *genkit_core::internal::sync::lock(&taken)))
    }

    /// Returns whether chunks are wanted. If so, a provider makes a streaming call.
    pub fn is_wanted(&self) -> bool {
        self.0.is_some()
    }

    /// Returns whether chunks are still read. If not, a provider can call [`skip`](Self::skip) to count a
    /// chunk instead of creating it.
    #[doc(hidden)]
    pub fn is_read(&self) -> bool {
        let left = |left: &Arc<AtomicBool>| left.load(Ordering::Relaxed);
        self.0.as_ref().is_some_and(|sink| !sink.is_reader_gone.as_ref().is_some_and(left))
    }

    /// Counts a chunk that was not created because it would not be read.
    #[doc(hidden)]
    pub fn skip(&self) {
        if let Some(sink) = &self.0 {
            sink.sent.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Sends a chunk.
    pub fn send(&self, chunk: GenerateChunk) {
        if let Some(sink) = &self.0 {
            sink.sent.fetch_add(1, Ordering::Relaxed);
            (sink.send)(chunk);
        }
    }

    /// Returns the number of chunks sent. A call that failed after sending a chunk must not be
    /// retried silently.
    pub fn count(&self) -> usize {
        self.0.as_ref().map_or(0, |sink| sink.sent.load(Ordering::Relaxed))
    }
}

impl std::fmt::Debug for ChunkSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChunkSink").field("wanted", &self.is_wanted()).finish_non_exhaustive()
    }
}
