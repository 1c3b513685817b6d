//! Streaming: a run that returns its chunks one by one.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use serde::de::DeserializeOwned;
use serde_json::Value;

use genkit_core::BoxFuture;
use genkit_core::Format;
use genkit_core::GenerateChunk;
use genkit_core::GenerateResponse;
use genkit_core::Result;
use genkit_core::internal::generate::error::Error as E;
use genkit_core::internal::generate::format;
use genkit_core::internal::sync::lock;
use genkit_core::{Part, Role};
use genkit_model::ChunkSink;

/// The number of unread chunks to reserve memory for with the first chunk.
const FEW_CHUNKS: usize = 16;

/// The number of bytes of text to reserve with the first chunk.
const SHORT_TEXT: usize = 128;

/// Chunks that have not been read yet.
#[derive(Default)]
struct ChunkQueue {
    chunks: Arc<Mutex<VecDeque<GenerateChunk>>>,
    /// Set once the reader no longer reads chunks.
    is_reader_gone: Arc<AtomicBool>,
}

impl ChunkQueue {
    fn chunk_sink(&self) -> ChunkSink {
        let (chunks, is_left) = (Arc::clone(&self.chunks), Arc::clone(&self.is_reader_gone));
        ChunkSink::until(Some(Arc::clone(&is_left)), move |chunk| {
            if !is_left.load(Ordering::Relaxed) {
                let mut chunks = lock(&chunks);
                if chunks.is_empty() {
                    chunks.reserve(FEW_CHUNKS);
                }
                chunks.push_back(chunk);
            }
        })
    }

    fn take_chunk(&self) -> Option<GenerateChunk> {
        lock(&self.chunks).pop_front()
    }

    fn stop_reading(&self) {
        self.is_reader_gone.store(true, Ordering::Relaxed);
        lock(&self.chunks).clear();
    }
}

/// A stream of the chunks of a run, created by [`Generate::stream`](crate::Generate::stream).
///
/// The run makes progress while the stream is read, and stops when the stream is dropped. `'a` is the lifetime of the
/// [`Chat`](crate::Chat) that stores the response; it is `'static` for other runs.
///
/// ```
/// use genkit::testing::ScriptedModel;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let mut stream = genkit::generate("Count.").model(ScriptedModel::text("1 2 3")).stream();
/// while let Some(chunk) = stream.next().await {
///     print!("{}", chunk?.text());
/// }
/// let response = stream.response().await?;
/// assert_eq!(response.text(), "1 2 3");
/// # Ok(())
/// # }
/// ```
#[must_use = "the run makes no progress until the stream is read"]
pub struct GenerateStream<'a> {
    run: Option<BoxFuture<'a, Result<GenerateResponse>>>,
    queue: ChunkQueue,
    ended: Option<Result<GenerateResponse>>,
    /// Whether `next` has returned the error of the failed run.
    is_reported: bool,
    /// The text of the message being written, and the index of that message.
    text: String,
    index: usize,
    format: Option<Format>,
}

impl<'a> GenerateStream<'a> {
    /// Creates the stream of the run that `start` starts.
    pub(super) fn new(
        format: Option<Format>,
        start: impl FnOnce(ChunkSink) -> BoxFuture<'a, Result<GenerateResponse>>,
    ) -> Self {
        let queue = ChunkQueue::default();
        let run = Some(start(queue.chunk_sink()));
        Self { run, queue, ended: None, is_reported: false, text: String::new(), index: 0, format }
    }

    /// Returns the next chunk, or `None` at the end. An error is returned once, as the last item.
    ///
    /// # Errors
    /// Returns the same errors as awaiting [`Generate`](crate::Generate).
    pub async fn next(&mut self) -> Option<Result<GenerateChunk>> {
        std::future::poll_fn(|cx| self.poll_chunk(cx)).await
    }

    /// Waits for the run to finish and returns the response. Unread chunks are discarded.
    ///
    /// # Errors
    /// Returns the same errors as awaiting [`Generate`](crate::Generate), even if [`next`](Self::next) has already
    /// returned the error. Only the first of these two errors holds the partial response.
    pub async fn response(mut self) -> Result<GenerateResponse> {
        self.queue.stop_reading();
        match self.run.take() {
            Some(run) => run.await,
            None => self.ended.take().unwrap_or_else(|| Err(E::AlreadyFailed.into())),
        }
    }

    /// Returns the text received so far of the current message. It is cleared when a new message starts, and when the
    /// model must correct its output: see
    /// [`GenerateChunk::output_retry`](genkit_core::GenerateChunk::output_retry).
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the structured output received so far. Strings, lists and objects can be incomplete; an incomplete
    /// number is left out. Returns `None` if the output is not a valid `T` yet.
    ///
    /// ```
    /// use genkit::testing::ScriptedModel;
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Poem {
    ///     #[serde(default)]
    ///     lines: Vec<String>,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let model = ScriptedModel::streaming([r#"{"lines": ["Roses are"#, r#" red"]}"#]);
    /// let mut stream = genkit::generate("A poem!").output::<Poem>().model(model).stream();
    /// stream.next().await.unwrap()?;
    /// assert_eq!(stream.output::<Poem>().unwrap().lines, ["Roses are"]);
    /// stream.next().await.unwrap()?;
    /// assert_eq!(stream.output::<Poem>().unwrap().lines, ["Roses are red"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn output<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_value(self.output_value()?).ok()
    }

    /// Returns the structured output so far, as JSON.
    ///
    /// Each call parses the whole text so far. For a long response, call it only when you update the display, not for
    /// each chunk.
    pub fn output_value(&self) -> Option<Value> {
        format::parse_partial(self.format.unwrap_or(Format::Json), &self.text)
    }

    fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<GenerateChunk>>> {
        let mut chunk = self.take_chunk();
        if let (None, Some(run)) = (&chunk, &mut self.run) {
            if let Poll::Ready(ended) = run.as_mut().poll(cx) {
                self.run = None;
                self.ended = Some(ended);
            }
            chunk = self.take_chunk();
        }
        match (chunk, &self.ended) {
            (Some(chunk), _) => Poll::Ready(Some(Ok(chunk))),
            // The error of a failed run is returned once, after the chunks before it.
            (None, Some(Err(error))) if !self.is_reported => {
                self.is_reported = true;
                let repeated = Err(error.to_repeated());
                Poll::Ready(self.ended.replace(repeated).and_then(Result::err).map(Err))
            }
            (None, None) if self.run.is_some() => Poll::Pending,
            (None, _) => Poll::Ready(None),
        }
    }

    fn take_chunk(&mut self) -> Option<GenerateChunk> {
        let chunk = self.queue.take_chunk();
        if let Some(retry) = chunk.as_ref().and_then(GenerateChunk::output_retry) {
            self.index = retry.index + 1;
            self.text.clear();
        } else if let Some(chunk) = &chunk
            && chunk.role == Some(Role::Model)
        {
            let index = chunk.index.unwrap_or(self.index);
            if index != self.index {
                self.index = index;
                self.text.clear();
            }
            if self.text.is_empty() {
                self.text.reserve(SHORT_TEXT);
            }
            self.text.extend(chunk.content.iter().filter_map(Part::as_text));
        }
        chunk
    }
}

impl futures_util::Stream for GenerateStream<'_> {
    type Item = Result<GenerateChunk>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll_chunk(cx)
    }
}

impl std::fmt::Debug for GenerateStream<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GenerateStream").field("index", &self.index).finish_non_exhaustive()
    }
}
