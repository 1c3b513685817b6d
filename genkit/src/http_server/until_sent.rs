//! A request that is answered: its connection is at work until the last byte of the answer was taken.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper::body::{Body, Frame, SizeHint};

use super::connections::Connection;

/// Marks a connection as waiting again when it is dropped.
pub(super) struct Answering(Arc<Connection>);

/// The body of an answer, until it was read to its end or given up.
pub(super) struct AnsweringBody<B> {
    body: B,
    _answering: Answering,
}

impl Answering {
    pub(super) fn begin(connection: Arc<Connection>) -> Self {
        Self(connection)
    }

    pub(super) fn until_sent<B>(self, body: B) -> AnsweringBody<B> {
        AnsweringBody { body, _answering: self }
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.answered();
    }
}

impl<B: Body + Unpin> Body for AnsweringBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
