//! Measures a request on either side: its duration and its outcome.

use std::time::Instant;

use tracing::Span;

use super::{Network, Target};
use genkit_core::internal::telemetry;
use genkit_core::{Metric, Telemetry};

/// A measured request. It counts as cancelled until another outcome is recorded.
pub(super) struct MeasuredRequest {
    pub(super) span: Span,
    pub(super) method: &'static str,
    label: Option<(&'static str, String)>,
    operation: Option<&'static str>,
    version: Option<String>,
    network: Network,
    started: Instant,
    pub(super) failure: Option<String>,
}

impl MeasuredRequest {
    /// Starts a measurement. `target` is the tool, prompt or resource of the request; `known` is the same target if it
    /// can be used as a label.
    pub(super) fn start_timer(
        span: Span,
        method: &'static str,
        target: Target<'_>,
        known: Target<'_>,
        version: Option<String>,
        network: Network,
    ) -> Self {
        let label = known.label().filter(|_| telemetry::installed_telemetry().is_some());
        Self {
            span,
            method,
            label: label.map(|(name, value)| (name, value.to_owned())),
            operation: target.operation(),
            version,
            network,
            started: Instant::now(),
            failure: Some("cancelled".to_owned()),
        }
    }

    /// Records a failure on the span, if the request failed.
    pub(super) fn record_failure_on_span(&self) {
        if let Some(failure) = &self.failure {
            telemetry::record_failure(&self.span, failure);
        }
    }

    /// Records the duration, with one more label if given.
    pub(super) fn record(
        &self,
        telemetry: &dyn Telemetry,
        metric: Metric,
        more: Option<(&'static str, &str)>,
    ) {
        let mut labels =
            vec![("mcp.method.name", self.method), ("network.transport", self.network.transport())];
        labels.extend(self.network.protocol().map(|name| ("network.protocol.name", name)));
        labels.extend(self.operation.map(|name| ("gen_ai.operation.name", name)));
        labels.extend(self.label.as_ref().map(|(name, value)| (*name, value.as_str())));
        labels.extend(self.version.as_deref().map(|version| ("mcp.protocol.version", version)));
        labels.extend(self.failure.as_deref().map(|kind| ("error.type", kind)));
        labels.extend(more);
        // An exporter can link a measurement to the current span.
        let seconds = self.started.elapsed().as_secs_f64();
        self.span.in_scope(|| telemetry.record(metric, seconds, &labels));
    }
}
