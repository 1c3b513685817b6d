//! Direct connections to model providers: HTTP/1.1 over TCP and TLS, kept open between calls.
//!
//! The task that makes a call also drives its connection, so no other task has to be woken. Dropping
//! a call closes its connection; reading a response to its end makes the connection available to the
//! next call. Calls through a proxy are sent with reqwest, as are all other requests of this library.

mod body;
mod connect;
mod link;
mod origin;
mod origins;
mod tls;

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode, Uri};
use http_body_util::Full;

use genkit_core::internal::error::BoxError;

pub(super) use body::DirectBody;
pub(super) use origin::Origin;
pub(super) use origins::{OriginRoute, find_route};

/// The reason why a call received no response.
pub(super) enum SendError {
    /// The connection could not be established.
    Connect(BoxError),
    /// The connection ended before the response started.
    Closed(BoxError),
}

/// A response whose body has not been read yet.
pub(super) struct DirectResponse {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: DirectBody,
}

/// Sends a POST request with `body` to `origin` and waits for the head of the response.
pub(super) async fn post_direct(
    origin: &Arc<Origin>,
    uri: Uri,
    headers: HeaderMap,
    body: Vec<u8>,
) -> Result<DirectResponse, SendError> {
    let mut request = Request::new(Full::new(Bytes::from(body)));
    *request.method_mut() = http::Method::POST;
    *request.uri_mut() = uri;
    *request.headers_mut() = headers;
    loop {
        let idle = origin.take_idle();
        let is_reused = idle.is_some();
        let mut link = match idle {
            Some(link) => link,
            // Boxed, because most calls reuse a connection.
            None => Box::pin(origin.open_link()).await.map_err(SendError::Connect)?,
        };
        let refused = match link.send_request(request).await {
            Ok(response) => {
                let (head, incoming) = response.into_parts();
                let body = DirectBody::new(incoming, link, Arc::clone(origin));
                return Ok(DirectResponse { status: head.status, headers: head.headers, body });
            }
            Err(refused) => refused,
        };
        // The server closed the idle connection before any part of the request was sent, so try another connection.
        match refused.request {
            Some(unsent) if is_reused => request = unsent,
            _ => return Err(SendError::Closed(refused.error.into())),
        }
    }
}

#[cfg(test)]
mod tests;
