//! Telemetry: `tracing` spans with names from OpenTelemetry's semantic conventions for MCP and generative AI,
//! propagation of W3C trace context, and metrics.
//!
//! | event | span (`otel.name`) | kind |
//! |---|---|---|
//! | serving a client's request | `tools/call add`, `prompts/get greet`, `tools/list` | server |
//! | a request to another MCP server | `tools/call add` | client |
//! | a question to a client | `elicitation/create`, `sampling/createMessage` | client |
//! | a run of the generate loop | `invoke_agent`, with the name of the run | internal |
//! | a model call | `chat gemini-2.5-flash` | client |
//! | a tool call | `execute_tool add` | internal |
//!
//! Spans are available to every `tracing` subscriber, and cost almost nothing without one. Contents (arguments,
//! results, messages) are only recorded if `McpServer::trace_contents` or
//! `GenkitBuilder::trace_contents` enables them.
//!
//! `tracing` itself cannot propagate traces between programs or record measurements. [`Telemetry`] does both; a program
//! installs one implementation. The crate `genkit-opentelemetry` contains an implementation for OpenTelemetry, and a
//! custom implementation takes a few lines:
//!
//! ```standalone_crate
//! use genkit::telemetry::{Metric, Telemetry, TraceContext};
//!
//! /// Prints measurements.
//! struct Log;
//!
//! impl Telemetry for Log {
//!     fn set_parent(&self, _: &tracing::Span, parent: &TraceContext) {
//!         eprintln!("parent is {parent}");
//!     }
//!
//!     fn context_of(&self, _: &tracing::Span) -> Option<TraceContext> {
//!         None
//!     }
//!
//!     fn record(&self, metric: Metric, value: f64, labels: &[(&'static str, &str)]) {
//!         eprintln!("{} {value} {} {labels:?}", metric.name(), metric.unit());
//!     }
//! }
//!
//! # fn main() -> genkit::Result<()> {
//! genkit::telemetry::install(Log)?;
//! assert!(genkit::telemetry::install(Log).is_err(), "once for each process");
//! # Ok(())
//! # }
//! ```

mod labels;
mod metric;
#[cfg(test)]
mod tests;
mod trace_context;

use std::sync::OnceLock;

use tracing::Span;

pub use self::metric::{Metric, MetricKind};
pub use self::trace_context::TraceContext;

pub use self::labels::metric_label;
pub use self::trace_context::BAGGAGE;
pub use self::trace_context::is_baggage;
pub use self::trace_context::{TRACEPARENT, TRACESTATE};
use crate::error::{Error, ErrorKind, Result};

/// An implementation of trace propagation and of metrics. Installed by [`install`].
///
/// The methods are called while requests are served, so they must neither block nor panic.
pub trait Telemetry: Send + Sync + 'static {
    /// Makes the trace of another program the parent of a new span, before the span is entered.
    fn set_parent(&self, span: &Span, parent: &TraceContext);

    /// Returns the trace context of a span, to send to another program. Returns `None` if the span is not recorded.
    fn context_of(&self, span: &Span) -> Option<TraceContext>;

    /// Records a measurement. A label is an OpenTelemetry attribute name with its value. The number of distinct values
    /// is limited.
    fn record(&self, metric: Metric, value: f64, labels: &[(&'static str, &str)]);
}

static INSTALLED: OnceLock<Box<dyn Telemetry>> = OnceLock::new();

/// Installs telemetry for the whole process. Call this before serving and generating.
///
/// # Errors
/// Returns `FailedPrecondition` if telemetry is already installed.
pub fn install(telemetry: impl Telemetry) -> Result<()> {
    let installed = INSTALLED.set(Box::new(telemetry));
    installed
        .map_err(|_| Error::new(ErrorKind::FailedPrecondition, "telemetry is already installed"))
}

/// Returns the installed telemetry.
pub fn installed_telemetry() -> Option<&'static dyn Telemetry> {
    INSTALLED.get().map(|telemetry| &**telemetry)
}

/// Returns the value of `error.type` for an error kind.
pub fn error_type(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Cancelled => "cancelled",
        ErrorKind::Unknown => "unknown",
        ErrorKind::InvalidArgument => "invalid_argument",
        ErrorKind::DeadlineExceeded => "timeout",
        ErrorKind::NotFound => "not_found",
        ErrorKind::AlreadyExists => "already_exists",
        ErrorKind::PermissionDenied => "permission_denied",
        ErrorKind::Unauthenticated => "unauthenticated",
        ErrorKind::ResourceExhausted => "resource_exhausted",
        ErrorKind::FailedPrecondition => "failed_precondition",
        ErrorKind::Aborted => "aborted",
        ErrorKind::OutOfRange => "out_of_range",
        ErrorKind::Unimplemented => "unimplemented",
        ErrorKind::Internal => "internal",
        ErrorKind::Unavailable => "unavailable",
    }
}

/// Records in a span that its work failed.
pub fn record_failure(span: &Span, error_type: &str) {
    span.record("error.type", error_type);
    span.record("otel.status_code", "ERROR");
}
