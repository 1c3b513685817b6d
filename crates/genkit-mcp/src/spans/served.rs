//! The span and metrics of a request that is served.

use std::net::IpAddr;

use tracing::{Span, field};

use super::measured::MeasuredRequest;
use super::{Network, Target, span_name};
use genkit_core::internal::telemetry;
use genkit_core::internal::visible::Logged;
use genkit_core::{Metric, Telemetry, TraceContext};

/// The attributes of a request that is about to be served.
pub struct NewServed<'a> {
    pub method: &'static str,
    pub target: Target<'a>,
    /// Whether the item exists on the server. Names of unknown items are not used as labels.
    pub is_known: bool,
    /// The id of the request.
    pub id: String,
    pub version: Option<String>,
    /// The label of the session, which does not give access to it.
    pub session: Option<String>,
    pub network: Network,
    pub address: Option<IpAddr>,
    /// The trace context in `_meta`, which the span continues.
    pub meta: Option<TraceContext>,
    /// The trace context in the HTTP header, which describes the HTTP request and not the MCP request.
    pub header: Option<TraceContext>,
}

/// A request that is being served. It counts as cancelled if it is dropped before [`close`](Self::close) is called.
pub struct ServedSpan {
    measured: MeasuredRequest,
    code: Option<i32>,
}

impl ServedSpan {
    pub fn open(new: NewServed<'_>) -> Self {
        let telemetry = telemetry::installed_telemetry();
        let active = [("mcp.method.name", new.method)];
        if let Some(telemetry) = telemetry {
            telemetry.record(Metric::McpServerActiveRequests, 1.0, &active);
        }
        let (method, target, network) = (new.method, new.target, new.network);
        let known = if new.is_known { target } else { Target::Nothing };
        let span = span(&new, telemetry);
        let measured =
            MeasuredRequest::start_timer(span, method, target, known, new.version, network);
        Self { measured, code: None }
    }

    pub fn span(&self) -> &Span {
        &self.measured.span
    }

    /// Records arguments or a result, if the program enabled that.
    pub fn record_contents(&self, field: &'static str, contents: &impl std::fmt::Display) {
        self.measured.span.record(field, field::display(Logged::text(contents)));
    }

    /// Records the outcome: an error code, or the failure of a tool.
    pub fn close(mut self, code: Option<i32>, tool_failed: bool) {
        self.measured.failure = match code {
            Some(code) => Some(code.to_string()),
            None => tool_failed.then(|| "tool_error".to_owned()),
        };
        self.code = code;
    }
}

impl Drop for ServedSpan {
    fn drop(&mut self) {
        let code = self.code.map(|code| code.to_string());
        if let Some(code) = &code {
            self.measured.span.record("rpc.response.status_code", code.as_str());
        }
        self.measured.record_failure_on_span();
        let Some(telemetry) = telemetry::installed_telemetry() else { return };
        let active = [("mcp.method.name", self.measured.method)];
        telemetry.record(Metric::McpServerActiveRequests, -1.0, &active);
        let code = code.as_deref().map(|code| ("rpc.response.status_code", code));
        self.measured.record(telemetry, Metric::McpServerDuration, code);
    }
}

/// Creates the span. Its parent is the client's span if there is one, otherwise the current span.
fn span(new: &NewServed<'_>, telemetry: Option<&dyn Telemetry>) -> Span {
    let ambient = Span::current();
    // A span of the program's HTTP layer already continues the trace of the header.
    let header = new.header.as_ref().filter(|_| ambient.is_none());
    let remote = telemetry.zip(new.meta.as_ref().or(header));
    let parent = if remote.is_some() { None } else { ambient.id() };
    let target = if new.is_known { new.target.name() } else { None };
    let span = tracing::info_span!(
        parent: parent,
        "mcp_request",
        otel.name = span_name(new.method, target),
        otel.kind = "server",
        otel.status_code = field::Empty,
        otel.status_description = field::Empty,
        mcp.method.name = new.method,
        mcp.protocol.version = new.version,
        mcp.session.id = new.session,
        mcp.resource.uri = new.target.resource().map(|uri| field::display(Logged::name(uri))),
        jsonrpc.request.id = new.id,
        gen_ai.operation.name = new.target.operation(),
        gen_ai.tool.name = new.target.tool().map(|name| field::display(Logged::name(name))),
        gen_ai.prompt.name = new.target.prompt().map(|name| field::display(Logged::name(name))),
        gen_ai.tool.call.arguments = field::Empty,
        gen_ai.tool.call.result = field::Empty,
        network.transport = new.network.transport(),
        network.protocol.name = new.network.protocol(),
        client.address = new.address.map(field::display),
        rpc.response.status_code = field::Empty,
        error.type = field::Empty,
    );
    if let Some((telemetry, remote)) = remote
        && !span.is_disabled()
    {
        telemetry.set_parent(&span, remote);
        // Link the span of the HTTP request instead of using it as the parent: it can contain several
        // MCP requests.
        if let Some(id) = ambient.id() {
            span.follows_from(&id);
        }
    }
    span
}
