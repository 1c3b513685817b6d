//! The span and metrics of a request that is sent to a server or a client.

use tracing::{Span, field};

use super::measured::MeasuredRequest;
use super::{Network, Target, span_name};
use genkit_core::internal::telemetry;
use genkit_core::internal::visible::Logged;
use genkit_core::{Metric, TraceContext};

/// The attributes of a request that is about to be sent.
pub struct NewSent<'a> {
    pub method: &'static str,
    pub target: Target<'a>,
    /// The protocol version.
    pub version: Option<&'a str>,
    pub network: Network,
    /// The host and port of the server, over HTTP.
    pub server: Option<(&'a str, Option<u16>)>,
}

/// A request that was sent. It counts as cancelled if it is dropped before [`close`](Self::close) is called.
pub struct SentSpan(MeasuredRequest);

impl SentSpan {
    /// Starts a span. Returns `None` if the span is disabled and no telemetry is installed.
    pub fn open(new: &NewSent<'_>) -> Option<Self> {
        let span = span(new);
        if span.is_disabled() && telemetry::installed_telemetry().is_none() {
            return None;
        }
        let version = new.version.map(str::to_owned);
        let (target, known) = (new.target, new.target);
        Some(Self(MeasuredRequest::start_timer(
            span,
            new.method,
            target,
            known,
            version,
            new.network,
        )))
    }

    pub fn span(&self) -> &Span {
        &self.0.span
    }

    /// Returns the trace context to send to the peer.
    pub fn context(&self) -> Option<TraceContext> {
        telemetry::installed_telemetry()
            .filter(|_| !self.0.span.is_disabled())?
            .context_of(&self.0.span)
    }

    /// Records the response. `code` is the JSON-RPC error code, which the peer chose.
    pub fn close(mut self, failure: Option<&str>, code: Option<i32>) {
        if let Some(code) = code {
            self.0.span.record("rpc.response.status_code", code.to_string());
        }
        self.0.failure = match code {
            // Use the codes of JSON-RPC and MCP as labels; all other codes share a label.
            Some(code @ -32768..=-32000) => Some(code.to_string()),
            Some(_) => Some(super::OTHER.to_owned()),
            None => failure.map(str::to_owned),
        };
    }
}

impl Drop for SentSpan {
    fn drop(&mut self) {
        self.0.record_failure_on_span();
        if let Some(telemetry) = telemetry::installed_telemetry() {
            self.0.record(telemetry, Metric::McpClientDuration, None);
        }
    }
}

fn span(new: &NewSent<'_>) -> Span {
    tracing::info_span!(
        "mcp_client_request",
        otel.name = span_name(new.method, new.target.name()),
        otel.kind = "client",
        otel.status_code = field::Empty,
        mcp.method.name = new.method,
        mcp.protocol.version = new.version,
        mcp.resource.uri = new.target.resource().map(|uri| field::display(Logged::name(uri))),
        gen_ai.operation.name = new.target.operation(),
        gen_ai.tool.name = new.target.tool().map(|name| field::display(Logged::name(name))),
        gen_ai.prompt.name = new.target.prompt().map(|name| field::display(Logged::name(name))),
        network.transport = new.network.transport(),
        network.protocol.name = new.network.protocol(),
        server.address = new.server.map(|(host, _)| host),
        server.port = new.server.and_then(|(_, port)| port),
        rpc.response.status_code = field::Empty,
        error.type = field::Empty,
    )
}
