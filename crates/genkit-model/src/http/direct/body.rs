//! The body of a response, which its reader drives the connection for.

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
    /// `None` is a connection that is over, or that was given back.
    link: Option<Box<Link>>,
    origin: Arc<Origin>,
}

impl DirectBody {
    pub(super) fn new(incoming: Incoming, link: Box<Link>, origin: Arc<Origin>) -> Self {
        Self { incoming, link: Some(link), origin }
    }

    /// How long it says it is, in bytes.
    pub(crate) fn announced(&self) -> Option<u64> {
        self.incoming.size_hint().exact()
    }

    /// The next piece. After the last one the connection is there for the next call.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, BoxError> {
        std::future::poll_fn(|cx| self.poll_next(cx)).await
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Bytes>, BoxError>> {
        if !self.incoming.is_end_stream() {
            // First without a waker: the body wakes its connection for each piece that is taken, which here is this task.
            self.drive(&mut Context::from_waker(Waker::noop()));
        }
        let mut piece = self.poll_piece();
        if piece.is_pending() {
            self.drive(cx);
            piece = self.poll_piece();
        }
        let piece = ready!(piece);
        if let Ok(None) = piece
            && let Some(mut link) = self.link.take()
            && (link.is_ready() || link.is_idle())
        {
            self.origin.put(link);
        }
        Poll::Ready(piece)
    }

    fn drive(&mut self, cx: &mut Context<'_>) {
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
                    // Trailers say nothing that is read.
                    Err(_) => continue,
                },
                Poll::Ready(Some(Err(error))) => Poll::Ready(Err(error.into())),
                Poll::Ready(None) => Poll::Ready(Ok(None)),
                Poll::Pending if self.link.is_none() => {
                    Poll::Ready(Err("the connection is gone".into()))
                }
                Poll::Pending => Poll::Pending,
            };
        }
    }
}
