//! The tracing span and the metrics of a request.

use serde_json::{Map, Value};
use tracing::Span;

use super::Reply;
use super::params::Params;
use crate::caller::Request;
use crate::http::http_parts;
use crate::session::Handshake;
use crate::state::SharedState;
use genkit_core::TraceContext;
use genkit_mcp::internal::spans::{NewServed, ServedSpan, Target, has_listener, method_name};

/// The span of a request.
pub(crate) struct RequestSpan {
    served: ServedSpan,
    /// Whether contents are recorded.
    contents: bool,
    is_tool: bool,
}

impl RequestSpan {
    /// Starts a span, or returns `None` if no subscriber or exporter may be listening.
    #[inline]
    pub(super) fn start_span(
        shared: &SharedState,
        method: &str,
        params: &Params,
        request: &Request,
    ) -> Option<Box<Self>> {
        if !has_listener() {
            return None;
        }
        Some(Self::new(shared, method, params, request))
    }

    fn new(shared: &SharedState, method: &str, params: &Params, request: &Request) -> Box<Self> {
        let (target, arguments) = find_target(params);
        let goes_on = shared.settings.trace_context;
        let (network, session, header) = http_parts(request, goes_on);
        let meta = goes_on.then(|| TraceContext::from_meta(&request.meta.0.0)).flatten();
        let served = ServedSpan::open(NewServed {
            method: method_name(method),
            target,
            is_known: match target {
                Target::Tool(name) => shared.has_tool(name),
                Target::Prompt(name) => shared.has_prompt(name),
                Target::Resource(_) | Target::Nothing => true,
            },
            id: request.id.to_string(),
            version: find_version(request),
            session,
            network,
            address: request.quota.key().known_identity().1,
            meta,
            header,
        });
        let contents = shared.settings.trace_contents;
        if let Some(arguments) = arguments.filter(|_| contents) {
            let arguments = Value::Object(arguments.clone());
            served.record_contents("gen_ai.tool.call.arguments", &arguments);
        }
        Box::new(Self { served, contents, is_tool: matches!(target, Target::Tool(_)) })
    }

    pub(super) fn span(&self) -> &Span {
        self.served.span()
    }

    /// Ends the span with the response.
    #[allow(clippy::boxed_local, reason = "calls and streams keep it in a box")]
    pub(super) fn end_span(self: Box<Self>, reply: &Reply) {
        let (code, tool_failed) = (reply.error.map(|code| code.0), reply.tool_failed);
        if self.contents {
            let mut message: Value = serde_json::from_slice(&reply.bytes).unwrap_or_default();
            if code.is_some() {
                let said = message["error"]["message"].take();
                let said = said.as_str().unwrap_or_default();
                self.served.record_contents("otel.status_description", &said);
            } else if self.is_tool {
                self.served.record_contents("gen_ai.tool.call.result", &message["result"].take());
            }
        }
        self.served.close(code, tool_failed);
    }
}

/// Returns the target of a request, and its arguments.
fn find_target(params: &Params) -> (Target<'_>, Option<&Map<String, Value>>) {
    match params {
        Params::CallTool(params) => (Target::Tool(&params.name), params.arguments.as_ref()),
        Params::GetPrompt(params) => (Target::Prompt(&params.name), None),
        Params::ReadResource(params) => (Target::Resource(&params.uri), None),
        Params::Subscribe(uri) | Params::Unsubscribe(uri) => (Target::Resource(uri), None),
        _ => (Target::Nothing, None),
    }
}

/// Returns the protocol version that the request follows.
fn find_version(request: &Request) -> Option<String> {
    let named = if request.meta.is_empty() { None } else { request.meta.protocol_version() };
    let version = named.or_else(|| match request.session.connection.handshake() {
        Handshake::Initialized(version) | Handshake::Without(version) => Some(version),
        Handshake::Waiting | Handshake::Described => None,
    });
    version.map(|version| version.to_string())
}
