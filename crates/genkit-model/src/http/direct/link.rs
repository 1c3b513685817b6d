//! One open connection, which moves only while somebody waits for it.

use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker, ready};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1::{Connection, SendRequest, handshake};

use super::connect::ProviderStream;
use genkit_core::internal::error::BoxError;

/// What is sent: a body that is there as a whole.
pub(super) type PostRequest = Request<Full<Bytes>>;

pub(super) struct Link {
    sender: SendRequest<Full<Bytes>>,
    /// `None` once it is over.
    connection: Option<Connection<ProviderStream, Full<Bytes>>>,
}

/// A request without a response.
pub(super) struct Refused {
    pub(super) error: hyper::Error,
    /// The request, if nothing of it was sent.
    pub(super) request: Option<PostRequest>,
}

impl Link {
    pub(super) async fn over(stream: ProviderStream) -> Result<Box<Self>, BoxError> {
        let (sender, connection) = handshake(stream).await?;
        Ok(Box::new(Self { sender, connection: Some(connection) }))
    }

    /// Sends `request`, and waits for the head of its response.
    pub(super) async fn send(
        &mut self,
        request: PostRequest,
    ) -> Result<Response<Incoming>, Refused> {
        let mut answered = pin!(self.sender.try_send_request(request));
        let connection = &mut self.connection;
        let answer = std::future::poll_fn(|cx| {
            // One that is over tells `answered` so, at the latest where it is dropped.
            let _ = poll(connection, cx);
            // The connection alone wakes this task: nothing else moves `answered`.
            answered.as_mut().poll(&mut Context::from_waker(Waker::noop()))
        });
        answer.await.map_err(|mut refused| {
            let request = refused.take_message();
            Refused { error: refused.into_error(), request }
        })
    }

    /// Reads and writes what can be without waiting; whether the connection is over.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        poll(&mut self.connection, cx)
    }

    /// Whether another request may be sent, as far as was read.
    pub(super) fn is_ready(&self) -> bool {
        self.connection.is_some() && self.sender.is_ready()
    }

    /// Whether another request may be sent now; what the server did since is read.
    pub(super) fn is_idle(&mut self) -> bool {
        self.poll(&mut Context::from_waker(Waker::noop())).is_pending() && self.is_ready()
    }
}

fn poll(
    connection: &mut Option<Connection<ProviderStream, Full<Bytes>>>,
    cx: &mut Context<'_>,
) -> Poll<()> {
    if let Some(open) = connection {
        // Its error is that of the request or the body that it ends.
        let _: Result<(), hyper::Error> = ready!(Pin::new(open).poll(cx));
        *connection = None;
    }
    Poll::Ready(())
}
