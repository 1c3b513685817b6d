//! What a message takes from the head of its HTTP request.

use std::sync::Arc;

use bytes::BytesMut;
use http::{HeaderMap, HeaderValue};

use crate::caller::Request;
use crate::principal::RequestHead;
use genkit_core::TraceContext;
use genkit_core::internal::telemetry::{TRACEPARENT, TRACESTATE};
use genkit_mcp::internal::spans::{Network, session_label};

impl RequestHead {
    /// Takes the head of a request that this server read. The header values are copied, because they are slices of the
    /// read buffer, and a request that runs for minutes would keep the whole buffer alive.
    pub(crate) fn for_http(mut headers: HeaderMap, mut extensions: http::Extensions) -> Self {
        let mut bytes = BytesMut::with_capacity(headers.values().map(HeaderValue::len).sum());
        headers.values_mut().for_each(|value| bytes.extend_from_slice(value.as_bytes()));
        let mut bytes = bytes.freeze();
        for value in headers.values_mut() {
            let is_sensitive = value.is_sensitive();
            if let Ok(own) = HeaderValue::from_maybe_shared(bytes.split_to(value.len())) {
                *value = own;
                value.set_sensitive(is_sensitive);
            }
        }
        extensions.insert(headers);
        Self { principal: extensions.get().cloned(), extensions: Arc::new(extensions) }
    }
}

/// The transport, and the session and trace context from the headers of HTTP.
pub(crate) fn http_parts(
    request: &Request,
    goes_on: bool,
) -> (Network, Option<String>, Option<TraceContext>) {
    let Some(headers) = request.head.extensions.get::<http::HeaderMap>() else {
        return (Network::Pipe, None, None);
    };
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let session = text("mcp-session-id").map(session_label);
    let trace = text(TRACEPARENT).filter(|_| goes_on).and_then(TraceContext::parse);
    let state: Vec<_> = match trace {
        None => Vec::new(),
        Some(_) => headers.get_all(TRACESTATE).iter().filter_map(|it| it.to_str().ok()).collect(),
    };
    (Network::Http, session, trace.map(|trace| trace.with_state(&state.join(","))))
}
