//! Keeps a value until a response has been sent.

use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Frame, SizeHint};

/// A response body that keeps a value until it has been completely read or is dropped.
pub(super) struct UntilSent<B, K> {
    body: B,
    _kept: K,
}

impl<B, K> UntilSent<B, K> {
    pub(super) fn new(body: B, kept: K) -> Self {
        Self { body, _kept: kept }
    }
}

impl<B: Body + Unpin, K: Unpin> Body for UntilSent<B, K> {
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
