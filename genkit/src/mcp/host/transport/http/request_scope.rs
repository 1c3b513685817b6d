//! What the requests of one connection share: its end, and how often a stream was of no use.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::stream::{BoxStream, Stream};
use rmcp::transport::streamable_http_client::{SseError, StreamableHttpError};
use sse_stream::Sse;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::mcp::host::transport::http_client::error::Error;
use crate::mcp::host::transport::http_client::failure::HttpFailure;

/// How many streams in a row may end at once without an event. Default is 8.
const MAX_EMPTY: usize = 8;

/// A stream that lives shorter has ended at once. Default is 1 second.
const AT_ONCE: Duration = Duration::from_secs(1);

/// The events of one stream.
pub(crate) type EventStream = BoxStream<'static, Result<Sse, SseError>>;

/// What the requests of one connection share.
#[derive(Clone, Default)]
pub(crate) struct RequestScope {
    pub(super) closed: CancellationToken,
    empty: Arc<AtomicUsize>,
}

impl RequestScope {
    /// What `work` gives, unless the connection is closed before.
    pub(crate) async fn unless_closed<T>(
        &self,
        work: impl Future<Output = Result<T, StreamableHttpError<HttpFailure>>>,
    ) -> Result<T, StreamableHttpError<HttpFailure>> {
        tokio::select! {
            biased;
            () = self.closed.cancelled() => {
                Err(StreamableHttpError::Client(Error::Closed.into()))
            }
            done = work => done,
        }
    }

    /// Whether the server gives streams that are none.
    pub(crate) fn has_no_streams(&self) -> bool {
        self.empty.load(Ordering::Relaxed) >= MAX_EMPTY
    }

    /// Takes note of how long the stream lives, and whether it has an event.
    pub(crate) fn counted(&self, events: EventStream) -> EventStream {
        let empty = Arc::clone(&self.empty);
        Box::pin(CountedStream { events, empty, since: Instant::now(), has_event: false })
    }
}

struct CountedStream {
    events: EventStream,
    empty: Arc<AtomicUsize>,
    since: Instant,
    has_event: bool,
}

impl Stream for CountedStream {
    type Item = Result<Sse, SseError>;

    fn poll_next(mut self: Pin<&mut Self>, ctx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = self.events.as_mut().poll_next(ctx);
        if matches!(next, Poll::Ready(Some(Ok(_)))) {
            self.has_event = true;
        }
        next
    }
}

impl Drop for CountedStream {
    fn drop(&mut self) {
        if self.has_event || self.since.elapsed() >= AT_ONCE {
            self.empty.store(0, Ordering::Relaxed);
        } else {
            self.empty.fetch_add(1, Ordering::Relaxed);
        }
    }
}
