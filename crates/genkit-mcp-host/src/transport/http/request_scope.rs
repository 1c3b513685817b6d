//! State that the requests of one connection share: its cancellation, and counts of empty streams and of warnings.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::stream::{BoxStream, StreamExt as _};
use rmcp::transport::streamable_http_client::{SseError, StreamableHttpError};
use sse_stream::Sse;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::transport::http_client::error::{Error, HttpError};
use genkit_core::internal::warnings::WarningBudget;

/// How many streams in a row may end immediately without an event. Default is 8.
const MAX_EMPTY: usize = 8;

/// A stream that lives for a shorter time counts as ended immediately. Default is 1 second.
const EMPTY_STREAM_LIFE: Duration = Duration::from_secs(1);

/// How long requests wait for the server to accept its own stream. Default is 500 milliseconds.
const STREAM_START: Duration = Duration::from_millis(500);

/// The events of one stream.
pub(crate) type EventStream = BoxStream<'static, Result<Sse, SseError>>;

/// State that the requests of one connection share.
#[derive(Clone, Default)]
pub(crate) struct RequestScope {
    pub(super) closed: CancellationToken,
    empty: Arc<AtomicUsize>,
    /// Whether the server's own stream was requested and the server has not responded yet.
    stream_starts: Arc<watch::Sender<bool>>,
    pub(super) warnings: Arc<WarningBudget>,
}

impl RequestScope {
    /// Logs that a message was skipped.
    pub(super) fn warn_skipped(&self, problem: &str) {
        if let Some(warnings) = self.warnings.count_warning() {
            tracing::warn!(warnings, "skipped a message from an MCP server: {problem}");
        }
    }

    /// Records that the session exists and its stream is opened next.
    pub(crate) fn stream_starts(&self) {
        self.stream_starts.send_replace(true);
    }

    /// Records that the stream is open, or that it will not be opened.
    pub(crate) fn stream_started(&self) {
        self.stream_starts.send_replace(false);
    }

    /// Waits for the server's own stream: a request may cause the server to send a question on this stream, which is
    /// lost if the stream is not open.
    pub(crate) async fn until_stream_started(&self) {
        if !*self.stream_starts.borrow() {
            return;
        }
        let mut starts = self.stream_starts.subscribe();
        let started = starts.wait_for(|starts| !starts);
        if tokio::time::timeout(STREAM_START, started).await.is_err() {
            // This server responds only when it sends its first event. Do not delay later requests.
            self.stream_started();
        }
    }

    /// Returns the result of `work`, or an error if the connection is closed first.
    pub(crate) async fn unless_closed<T>(
        &self,
        work: impl Future<Output = Result<T, StreamableHttpError<HttpError>>>,
    ) -> Result<T, StreamableHttpError<HttpError>> {
        let done = self.closed.run_until_cancelled(work).await;
        done.unwrap_or_else(|| Err(StreamableHttpError::Client(Error::Closed.into())))
    }

    /// Returns whether the server's streams end immediately, so that the server is treated as a server without streams.
    pub(crate) fn has_no_streams(&self) -> bool {
        self.empty.load(Ordering::Relaxed) >= MAX_EMPTY
    }

    /// Records how long the stream lives, and whether it has an event.
    pub(crate) fn watch_stream(&self, events: EventStream) -> EventStream {
        let empty = Arc::clone(&self.empty);
        let mut life = StreamLife { empty, since: Instant::now(), has_event: false };
        Box::pin(events.inspect(move |event| life.record_event(event)))
    }
}

struct StreamLife {
    empty: Arc<AtomicUsize>,
    since: Instant,
    has_event: bool,
}

impl StreamLife {
    fn record_event(&mut self, event: &Result<Sse, SseError>) {
        self.has_event |= event.is_ok();
    }
}

impl Drop for StreamLife {
    fn drop(&mut self) {
        if self.has_event || self.since.elapsed() >= EMPTY_STREAM_LIFE {
            self.empty.store(0, Ordering::Relaxed);
        } else {
            self.empty.fetch_add(1, Ordering::Relaxed);
        }
    }
}
