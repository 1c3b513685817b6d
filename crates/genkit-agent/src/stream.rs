//! Streaming: a run whose chunks come one by one.

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

/// For how many unread chunks there is room from the first one on: what comes at once.
const FEW_CHUNKS: usize = 16;

/// For how much of a text there is room from its first chunk on, in bytes.
const SHORT_TEXT: usize = 128;

/// Chunks that nobody has read yet.
#[derive(Default)]
struct ChunkQueue {
    chunks: Arc<Mutex<VecDeque<GenerateChunk>>>,
    /// Nobody reads them any more.
    is_left: Arc<AtomicBool>,
}

impl ChunkQueue {
    fn sink(&self) -> ChunkSink {
        let (chunks, is_left) = (Arc::clone(&self.chunks), Arc::clone(&self.is_left));
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

    fn take(&self) -> Option<GenerateChunk> {
        lock(&self.chunks).pop_front()
    }

    fn leave(&self) {
        self.is_left.store(true, Ordering::Relaxed);
        lock(&self.chunks).clear();
    }
}

/// Stream of a run, whose chunks come one by one: made by
/// [`Generate::stream`](crate::Generate::stream).
///
/// The run goes on while it is read, and stops when it is dropped. `'a` is what the run borrows: the
/// [`Chat`](crate::Chat) that keeps its answer, else nothing, which is `'static`.
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
#[must_use = "a stream runs while it is read"]
pub struct GenerateStream<'a> {
    run: Option<BoxFuture<'a, Result<GenerateResponse>>>,
    queue: ChunkQueue,
    ended: Option<Result<GenerateResponse>>,
    /// The text of the message that is being written, and which it is.
    text: String,
    index: usize,
    format: Option<Format>,
}

impl<'a> GenerateStream<'a> {
    /// The stream of the run that `start` begins.
    pub(super) fn new(
        format: Option<Format>,
        start: impl FnOnce(ChunkSink) -> BoxFuture<'a, Result<GenerateResponse>>,
    ) -> Self {
        let queue = ChunkQueue::default();
        let run = Some(start(queue.sink()));
        Self { run, queue, ended: None, text: String::new(), index: 0, format }
    }

    /// The next chunk; `None` at the end. An error comes once, as the last item.
    ///
    /// # Errors
    /// As awaiting the run would give.
    pub async fn next(&mut self) -> Option<Result<GenerateChunk>> {
        std::future::poll_fn(|cx| self.poll_chunk(cx)).await
    }

    /// The response; chunks that were not read are dropped.
    ///
    /// # Errors
    /// As awaiting the run would give.
    pub async fn response(mut self) -> Result<GenerateResponse> {
        self.queue.leave();
        match (self.run.take(), self.ended.take()) {
            (Some(run), _) => run.await,
            (None, Some(ended)) => ended,
            (None, None) => Err(E::AlreadyFailed.into()),
        }
    }

    /// Text so far of the message that the model is writing. It begins anew with each message, also
    /// where an answer did not fit and the model is asked again:
    /// [`GenerateChunk::output_retry`](genkit_core::GenerateChunk::output_retry).
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Structured output so far, as far as it is certain; `None` while there is none that fits `T`.
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

    /// Structured output so far, as JSON.
    ///
    /// Each call reads the whole text so far: of a long answer ask when there is something to show, not for each chunk.
    pub fn output_value(&self) -> Option<Value> {
        format::parse_partial(self.format.unwrap_or(Format::Json), &self.text)
    }

    fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<GenerateChunk>>> {
        let mut chunk = self.take();
        if let (None, Some(run)) = (&chunk, &mut self.run) {
            if let Poll::Ready(ended) = run.as_mut().poll(cx) {
                self.run = None;
                self.ended = Some(ended);
            }
            chunk = self.take();
        }
        match (chunk, &self.ended) {
            (Some(chunk), _) => Poll::Ready(Some(Ok(chunk))),
            // The error of a failed run comes after the chunks before it, and once.
            (None, Some(Err(_))) => Poll::Ready(self.ended.take().and_then(Result::err).map(Err)),
            (None, None) if self.run.is_some() => Poll::Pending,
            (None, _) => Poll::Ready(None),
        }
    }

    fn take(&mut self) -> Option<GenerateChunk> {
        let chunk = self.queue.take();
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
