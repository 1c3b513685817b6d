//! The span of a request that is sent, to another server or to a client that is asked, and its measurements.

use std::time::Instant;

use tracing::{Span, field};

use super::{Network, Target, span_name};
use crate::telemetry::{self, Metric, TraceContext};
use crate::visible::Logged;

/// A request that is about to be sent, as its span tells it.
pub(crate) struct NewSent<'a> {
    pub(crate) method: &'static str,
    pub(crate) target: Target<'a>,
    /// Whether the name is of few enough to be one of a metric.
    pub(crate) version: Option<&'a str>,
    pub(crate) network: Network,
    /// Where it goes, over HTTP.
    pub(crate) server: Option<(&'a str, Option<u16>)>,
}

/// A request that was sent. Where it is dropped before its end, nobody waited for it any more.
pub(crate) struct SentSpan {
    span: Span,
    method: &'static str,
    label: Option<(&'static str, String)>,
    operation: Option<&'static str>,
    version: Option<String>,
    network: Network,
    started: Instant,
    failure: Option<String>,
}

impl SentSpan {
    /// None where nobody listens.
    pub(crate) fn begin(new: &NewSent<'_>) -> Option<Self> {
        let telemetry = telemetry::installed();
        let span = span(new);
        if span.is_disabled() && telemetry.is_none() {
            return None;
        }
        let label = new.target.label().filter(|_| telemetry.is_some());
        Some(Self {
            span,
            method: new.method,
            label: label.map(|(name, value)| (name, value.to_owned())),
            operation: new.target.operation(),
            version: new.version.map(str::to_owned),
            network: new.network,
            started: Instant::now(),
            failure: Some("cancelled".to_owned()),
        })
    }

    pub(crate) fn span(&self) -> &Span {
        &self.span
    }

    /// The trace that who is asked goes on with.
    pub(crate) fn context(&self) -> Option<TraceContext> {
        telemetry::installed().filter(|_| !self.span.is_disabled())?.context_of(&self.span)
    }

    /// It was answered; `code` is that of JSON-RPC, which another program chose.
    pub(crate) fn end(mut self, failure: Option<&str>, code: Option<i32>) {
        if let Some(code) = code {
            self.span.record("rpc.response.status_code", code.to_string());
        }
        self.failure = match code {
            // The codes of JSON-RPC and MCP; all others are one.
            Some(code @ -32768..=-32000) => Some(code.to_string()),
            Some(_) => Some(super::OTHER.to_owned()),
            None => failure.map(str::to_owned),
        };
    }
}

impl Drop for SentSpan {
    fn drop(&mut self) {
        if let Some(failure) = &self.failure {
            telemetry::failed(&self.span, failure);
        }
        let Some(telemetry) = telemetry::installed() else { return };
        let mut labels =
            vec![("mcp.method.name", self.method), ("network.transport", self.network.transport())];
        labels.extend(self.network.protocol().map(|name| ("network.protocol.name", name)));
        labels.extend(self.operation.map(|name| ("gen_ai.operation.name", name)));
        labels.extend(self.label.as_ref().map(|(name, value)| (*name, value.as_str())));
        labels.extend(self.version.as_deref().map(|version| ("mcp.protocol.version", version)));
        labels.extend(self.failure.as_deref().map(|kind| ("error.type", kind)));
        let seconds = self.started.elapsed().as_secs_f64();
        self.span.in_scope(|| telemetry.record(Metric::McpClientDuration, seconds, &labels));
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
