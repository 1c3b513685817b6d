//! Connections of our own to model providers: HTTP/1.1 over TCP and TLS, kept open between calls.
//!
//! Whoever makes a call drives its connection, so that no other task is woken for it: a call that is dropped closes
//! its connection, and one that is read to its end leaves it to the next call. What goes through a proxy is sent by
//! reqwest, as everything else of this library.

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
pub(super) use origins::{Way, way_to};

/// Why there is no response.
pub(super) enum NotSent {
    /// There is no connection.
    Connect(BoxError),
    /// The connection ended before the response began.
    Closed(BoxError),
}

/// A response whose body is still to be read.
pub(super) struct DirectResponse {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: DirectBody,
}

/// Posts `body` to `origin`, and waits for the beginning of the response.
pub(super) async fn post(
    origin: &Arc<Origin>,
    uri: Uri,
    headers: HeaderMap,
    body: Vec<u8>,
) -> Result<DirectResponse, NotSent> {
    let mut request = Request::new(Full::new(Bytes::from(body)));
    *request.method_mut() = http::Method::POST;
    *request.uri_mut() = uri;
    *request.headers_mut() = headers;
    loop {
        let idle = origin.take();
        let is_reused = idle.is_some();
        let mut link = match idle {
            Some(link) => link,
            // Boxed, since most calls make none.
            None => Box::pin(origin.connect()).await.map_err(NotSent::Connect)?,
        };
        let refused = match link.send(request).await {
            Ok(response) => {
                let (head, incoming) = response.into_parts();
                let body = DirectBody::new(incoming, link, Arc::clone(origin));
                return Ok(DirectResponse { status: head.status, headers: head.headers, body });
            }
            Err(refused) => refused,
        };
        // The server closed an idle connection, and nothing of the call was sent: another one will do.
        match refused.request {
            Some(unsent) if is_reused => request = unsent,
            _ => return Err(NotSent::Closed(refused.error.into())),
        }
    }
}

#[cfg(test)]
mod tests;
