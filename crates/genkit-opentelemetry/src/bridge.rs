//! Maps the traces and metrics of genkit to OpenTelemetry's types.

use std::collections::HashMap;

use genkit::telemetry::{Metric, MetricKind, Telemetry, TraceContext};
use opentelemetry::metrics::{Gauge, Histogram, Meter, UpDownCounter};
use opentelemetry::trace::{
    SpanContext, SpanId, TraceContextExt as _, TraceFlags, TraceId, TraceState,
};
use opentelemetry::{Context, KeyValue};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// The implementation of [`Telemetry`] for OpenTelemetry.
pub(crate) struct Bridge {
    instruments: HashMap<Metric, Instrument>,
}

enum Instrument {
    Histogram(Histogram<f64>),
    UpDownCounter(UpDownCounter<f64>),
    Gauge(Gauge<f64>),
}

impl Bridge {
    pub(crate) fn new(meter: &Meter) -> Self {
        let instrument = |metric: &Metric| (*metric, Instrument::new(*metric, meter));
        Self { instruments: Metric::ALL.iter().map(instrument).collect() }
    }
}

impl Instrument {
    fn new(metric: Metric, meter: &Meter) -> Self {
        match metric.kind() {
            MetricKind::UpDownCounter => Self::UpDownCounter(
                meter
                    .f64_up_down_counter(metric.name())
                    .with_unit(metric.unit())
                    .with_description(metric.description())
                    .build(),
            ),
            MetricKind::Gauge => Self::Gauge(
                meter
                    .f64_gauge(metric.name())
                    .with_unit(metric.unit())
                    .with_description(metric.description())
                    .build(),
            ),
            _ => Self::Histogram(
                meter
                    .f64_histogram(metric.name())
                    .with_unit(metric.unit())
                    .with_description(metric.description())
                    .with_boundaries(metric.boundaries().to_vec())
                    .build(),
            ),
        }
    }
}

impl Telemetry for Bridge {
    fn set_parent(&self, span: &Span, parent: &TraceContext) {
        let flags = if parent.is_sampled() { TraceFlags::SAMPLED } else { TraceFlags::NOT_SAMPLED };
        let remote = SpanContext::new(
            TraceId::from(parent.trace_id()),
            SpanId::from(parent.span_id()),
            flags,
            true,
            parent.state().parse::<TraceState>().unwrap_or_default(),
        );
        // An error means that the subscriber has no OpenTelemetry layer, so no trace can be continued.
        let _ = span.set_parent(Context::new().with_remote_span_context(remote));
    }

    fn context_of(&self, span: &Span) -> Option<TraceContext> {
        let context = span.context();
        let context = context.span().span_context().clone();
        let trace_id = u128::from_be_bytes(context.trace_id().to_bytes());
        let span_id = u64::from_be_bytes(context.span_id().to_bytes());
        let own = TraceContext::new(trace_id, span_id, context.is_sampled())?;
        Some(own.with_state(&context.trace_state().header()))
    }

    fn record(&self, metric: Metric, value: f64, labels: &[(&'static str, &str)]) {
        let labels: Vec<_> =
            labels.iter().map(|(name, value)| KeyValue::new(*name, (*value).to_owned())).collect();
        match self.instruments.get(&metric) {
            Some(Instrument::Histogram(histogram)) => histogram.record(value, &labels),
            Some(Instrument::UpDownCounter(counter)) => counter.add(value, &labels),
            Some(Instrument::Gauge(gauge)) => gauge.record(value, &labels),
            None => {}
        }
    }
}
