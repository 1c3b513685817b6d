//! The body of a response. Reading it drives the connection.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};

use bytes::Bytes;
use hyper::body::{Body as _, Incoming};

use super::link::Link;
use super::origin::Origin;
use genkit_core::internal::error::BoxError;

pub(crate) struct DirectBody {
    incoming: Incoming,
    /// The connection, or `None` once it has ended or has been returned to the pool.
    link: Option<Box<Link>>,
    origin: Arc<Origin>,
}

impl DirectBody {
    pub(super) fn new(incoming: Incoming, link: Box<Link>, origin: Arc<Origin>) -> Self {
        Self { incoming, link: Some(link), origin }
    }

    /// Returns the content length that the server declared, in bytes.
    pub(crate) fn announced_length(&self) -> Option<u64> {
        self.incoming.size_hint().exact()
    }

    /// Returns the next chunk of the body. After the last chunk, the connection is available to the next call.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, BoxError> {
        std::future::poll_fn(|cx| self.poll_next(cx)).await
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Bytes>, BoxError>> {
        if !self.incoming.is_end_stream() {
            // Drive the connection with a no-op waker first. Taking a chunk wakes the waker that the connection was
            // last polled with; the waker of `cx` would cause a needless poll.
            self.drive_connection(&mut Context::from_waker(Waker::noop()));
        }
        let mut piece = self.poll_piece();
        if piece.is_pending() {
            self.drive_connection(cx);
            piece = self.poll_piece();
        }
        let piece = ready!(piece);
        if let Ok(None) = piece
            && let Some(mut link) = self.link.take()
            && (link.is_ready() || link.is_idle())
        {
            self.origin.put_idle(link);
        }
        Poll::Ready(piece)
    }

    fn drive_connection(&mut self, cx: &mut Context<'_>) {
        if self.link.as_mut().is_some_and(|link| link.poll(cx).is_ready()) {
            self.link = None;
        }
    }

    fn poll_piece(&mut self) -> Poll<Result<Option<Bytes>, BoxError>> {
        loop {
            let frame =
                Pin::new(&mut self.incoming).poll_frame(&mut Context::from_waker(Waker::noop()));
            return match frame {
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(data) => Poll::Ready(Ok(Some(data))),
                    // Trailers are ignored.
                    Err(_) => continue,
                },
                Poll::Ready(Some(Err(error))) => Poll::Ready(Err(error.into())),
                Poll::Ready(None) => Poll::Ready(Ok(None)),
                Poll::Pending if self.link.is_none() => {
                    Poll::Ready(Err("the connection is closed".into()))
                }
                Poll::Pending => Poll::Pending,
            };
        }
    }
}
