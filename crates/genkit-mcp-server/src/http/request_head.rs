//! The parts of an HTTP request head that a message uses.

use std::sync::Arc;

use http::HeaderMap;

use crate::caller::Request;
use crate::principal::RequestHead;
use genkit_core::TraceContext;
use genkit_http_server::internal::copy_values;
use genkit_mcp::internal::spans::{Network, session_label};

impl RequestHead {
    /// Takes the head of a request that this server read. The header values are copied, because they are slices of the
    /// read buffer, and a request that runs for minutes would keep the whole buffer alive.
    pub(crate) fn for_http(mut headers: HeaderMap, mut extensions: http::Extensions) -> Self {
        copy_values(&mut headers);
        extensions.insert(headers);
        Self { principal: extensions.get().cloned(), extensions: Arc::new(extensions) }
    }
}

/// Returns the transport of a request, and the session id and trace context in its HTTP headers.
pub(crate) fn http_parts(
    request: &Request,
    goes_on: bool,
) -> (Network, Option<String>, Option<TraceContext>) {
    let Some(headers) = request.head.extensions.get::<http::HeaderMap>() else {
        return (Network::Pipe, None, None);
    };
    let session = headers.get("mcp-session-id").and_then(|value| value.to_str().ok());
    let trace = goes_on.then(|| TraceContext::from_headers(headers)).flatten();
    (Network::Http, session.map(session_label), trace)
}
