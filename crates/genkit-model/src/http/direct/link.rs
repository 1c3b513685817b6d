//! An open connection, driven only by the task that waits for it.

use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker, ready};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1::{Connection, SendRequest, handshake};

use super::connect::ProviderStream;
use genkit_core::internal::error::BoxError;

/// A request with a complete body.
pub(super) type PostRequest = Request<Full<Bytes>>;

pub(super) struct Link {
    sender: SendRequest<Full<Bytes>>,
    /// The connection, or `None` once it has ended.
    connection: Option<Connection<ProviderStream, Full<Bytes>>>,
}

/// A request that received no response.
pub(super) struct UnsentRequest {
    pub(super) error: hyper::Error,
    /// The request, if no part of it was sent.
    pub(super) request: Option<PostRequest>,
}

impl Link {
    pub(super) async fn over_stream(stream: ProviderStream) -> Result<Box<Self>, BoxError> {
        let (sender, connection) = handshake(stream).await?;
        Ok(Box::new(Self { sender, connection: Some(connection) }))
    }

    /// Sends `request` and waits for the head of its response.
    pub(super) async fn send_request(
        &mut self,
        request: PostRequest,
    ) -> Result<Response<Incoming>, UnsentRequest> {
        let mut answered = pin!(self.sender.try_send_request(request));
        let connection = &mut self.connection;
        let answer = std::future::poll_fn(|cx| {
            // If the connection has ended, `answered` is resolved at the latest when the connection
            // is dropped.
            let _ = poll(connection, cx);
            // Only the connection wakes this task, because only the connection can resolve
            // `answered`.
            answered.as_mut().poll(&mut Context::from_waker(Waker::noop()))
        });
        answer.await.map_err(|mut refused| {
            let request = refused.take_message();
            UnsentRequest { error: refused.into_error(), request }
        })
    }

    /// Drives the connection without waiting. Returns `Poll::Ready` once the connection has ended.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        poll(&mut self.connection, cx)
    }

    /// Returns whether another request may be sent, according to the data read so far.
    pub(super) fn is_ready(&self) -> bool {
        self.connection.is_some() && self.sender.is_ready()
    }

    /// Returns whether another request may be sent now, after reading the available data.
    pub(super) fn is_idle(&mut self) -> bool {
        self.poll(&mut Context::from_waker(Waker::noop())).is_pending() && self.is_ready()
    }
}

fn poll(
    connection: &mut Option<Connection<ProviderStream, Full<Bytes>>>,
    cx: &mut Context<'_>,
) -> Poll<()> {
    if let Some(open) = connection {
        // Ignore the error, because the request or the body on this connection also reports it.
        let _: Result<(), hyper::Error> = ready!(Pin::new(open).poll(cx));
        *connection = None;
    }
    Poll::Ready(())
}
