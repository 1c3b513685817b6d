//! One connection, as rmcp drives it, and what ends with it.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::stream::{BoxStream, Stream};
use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{SseError, StreamableHttpError};
use rmcp::transport::{StreamableHttpClientTransport, Transport};
use sse_stream::Sse;
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::failure::Failure;
use super::wire::Wire;
use crate::error::ErrorKind;

/// How many streams in a row may end at once without a word. Default is 8.
const MAX_EMPTY: usize = 8;

/// A stream that lives shorter has ended at once. Default is 1 second.
const AT_ONCE: Duration = Duration::from_secs(1);

pub(crate) type Events = BoxStream<'static, Result<Sse, SseError>>;

/// One connection. rmcp's worker does not see that it is dropped while it waits for an answer, so
/// that this ends its requests.
pub(crate) struct HttpTransport {
    inner: StreamableHttpClientTransport<Wire>,
    _open: DropGuard,
    closed: CancellationToken,
    /// A sign-in that is under way ends with the last connection.
    _sign_in: Option<Arc<DropGuard>>,
}

impl HttpTransport {
    pub(crate) fn new(
        inner: StreamableHttpClientTransport<Wire>,
        link: &Link,
        sign_in: Option<Arc<DropGuard>>,
    ) -> Self {
        let closed = link.closed.clone();
        Self { inner, _open: closed.clone().drop_guard(), closed, _sign_in: sign_in }
    }
}

impl Transport<RoleClient> for HttpTransport {
    type Error = StreamableHttpError<Failure>;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        self.inner.receive().await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.closed.cancel();
        self.inner.close().await
    }
}

/// What the requests of one connection share.
#[derive(Clone, Default)]
pub(crate) struct Link {
    closed: CancellationToken,
    empty: Arc<AtomicUsize>,
}

impl Link {
    /// What `work` gives, unless the connection is closed before.
    pub(crate) async fn unless_closed<T>(
        &self,
        work: impl Future<Output = Result<T, StreamableHttpError<Failure>>>,
    ) -> Result<T, StreamableHttpError<Failure>> {
        tokio::select! {
            biased;
            () = self.closed.cancelled() => {
                let text = "the connection was closed meanwhile";
                Err(StreamableHttpError::Client(Failure::new(ErrorKind::Cancelled, text)))
            }
            done = work => done,
        }
    }

    /// Whether the server gives streams that are none.
    pub(crate) fn has_no_streams(&self) -> bool {
        self.empty.load(Ordering::Relaxed) >= MAX_EMPTY
    }

    /// Takes note of how long the stream lives, and whether it says anything.
    pub(crate) fn counted(&self, events: Events) -> Events {
        let empty = Arc::clone(&self.empty);
        Box::pin(Counted { events, empty, since: Instant::now(), spoke: false })
    }
}

struct Counted {
    events: Events,
    empty: Arc<AtomicUsize>,
    since: Instant,
    spoke: bool,
}

impl Stream for Counted {
    type Item = Result<Sse, SseError>;

    fn poll_next(mut self: Pin<&mut Self>, ctx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = self.events.as_mut().poll_next(ctx);
        if matches!(next, Poll::Ready(Some(Ok(_)))) {
            self.spoke = true;
        }
        next
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        if self.spoke || self.since.elapsed() >= AT_ONCE {
            self.empty.store(0, Ordering::Relaxed);
        } else {
            self.empty.fetch_add(1, Ordering::Relaxed);
        }
    }
}
