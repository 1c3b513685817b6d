//! What the span of a request takes from HTTP.

use crate::caller::Request;
use genkit_core::TraceContext;
use genkit_core::internal::telemetry::{TRACEPARENT, TRACESTATE};
use genkit_mcp::internal::spans::{Network, session_label};

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
