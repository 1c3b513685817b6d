//! What the requests of one connection share: its end, and how often a stream was of no use.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::stream::{BoxStream, StreamExt as _};
use rmcp::transport::streamable_http_client::{SseError, StreamableHttpError};
use sse_stream::Sse;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::transport::http_client::error::Error;
use crate::transport::http_client::failure::HttpFailure;

/// How many streams in a row may end at once without an event. Default is 8.
const MAX_EMPTY: usize = 8;

/// A stream that lives shorter has ended at once. Default is 1 second.
const AT_ONCE: Duration = Duration::from_secs(1);

/// How long requests wait until the server has answered for its own stream. Default is 500 milliseconds.
const STREAM_START: Duration = Duration::from_millis(500);

/// The events of one stream.
pub(crate) type EventStream = BoxStream<'static, Result<Sse, SseError>>;

/// What the requests of one connection share.
#[derive(Clone, Default)]
pub(crate) struct RequestScope {
    pub(super) closed: CancellationToken,
    empty: Arc<AtomicUsize>,
    /// The stream of the server itself was asked for, and is not answered yet.
    stream_starts: Arc<watch::Sender<bool>>,
}

impl RequestScope {
    /// The session is there: its stream is opened next.
    pub(crate) fn stream_starts(&self) {
        self.stream_starts.send_replace(true);
    }

    /// The stream is there, or will not be.
    pub(crate) fn stream_started(&self) {
        self.stream_starts.send_replace(false);
    }

    /// Waits for the stream of the server itself: a server may ask there what a request makes it ask, and
    /// loses the question where nobody listens.
    pub(crate) async fn until_stream_started(&self) {
        if !*self.stream_starts.borrow() {
            return;
        }
        let mut starts = self.stream_starts.subscribe();
        let started = starts.wait_for(|starts| !starts);
        if tokio::time::timeout(STREAM_START, started).await.is_err() {
            // A server that answers with its first event: no other request waits.
            self.stream_started();
        }
    }

    /// What `work` gives, unless the connection is closed before.
    pub(crate) async fn unless_closed<T>(
        &self,
        work: impl Future<Output = Result<T, StreamableHttpError<HttpFailure>>>,
    ) -> Result<T, StreamableHttpError<HttpFailure>> {
        let done = self.closed.run_until_cancelled(work).await;
        done.unwrap_or_else(|| Err(StreamableHttpError::Client(Error::Closed.into())))
    }

    /// Whether the server gives streams that are none.
    pub(crate) fn has_no_streams(&self) -> bool {
        self.empty.load(Ordering::Relaxed) >= MAX_EMPTY
    }

    /// Takes note of how long the stream lives, and whether it has an event.
    pub(crate) fn counted(&self, events: EventStream) -> EventStream {
        let empty = Arc::clone(&self.empty);
        let mut life = StreamLife { empty, since: Instant::now(), has_event: false };
        Box::pin(events.inspect(move |event| life.saw(event)))
    }
}

struct StreamLife {
    empty: Arc<AtomicUsize>,
    since: Instant,
    has_event: bool,
}

impl StreamLife {
    fn saw(&mut self, event: &Result<Sse, SseError>) {
        self.has_event |= event.is_ok();
    }
}

impl Drop for StreamLife {
    fn drop(&mut self) {
        if self.has_event || self.since.elapsed() >= AT_ONCE {
            self.empty.store(0, Ordering::Relaxed);
        } else {
            self.empty.fetch_add(1, Ordering::Relaxed);
        }
    }
}
