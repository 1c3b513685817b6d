//! Telemetry: spans of `tracing` with the names of OpenTelemetry's semantic conventions for MCP and generative AI,
//! W3C trace context from and to other programs, and metrics.
//!
//! | what happens | span (`otel.name`) | kind |
//! |---|---|---|
//! | a client's request is served | `tools/call add`, `prompts/get greet`, `tools/list` | server |
//! | a request goes to another MCP server | `tools/call add` | client |
//! | a client is asked | `elicitation/create`, `sampling/createMessage` | client |
//! | a run of the loop | `invoke_agent`, with the name of the run | internal |
//! | a call of a model | `chat gemini-2.5-flash` | client |
//! | a call of a tool | `execute_tool add` | internal |
//!
//! Spans are there for every subscriber of `tracing`, and cost nothing to speak of where nobody listens. Contents
//! (arguments, results, messages) stand in them only where
//! `McpServer::trace_contents` or
//! `GenkitBuilder::trace_contents` asks for them.
//!
//! What `tracing` has no word for goes through [`Telemetry`], which a program installs once: the trace of a client that
//! goes on here, ours that goes on elsewhere, and measurements. The crate `genkit-opentelemetry` has one for OpenTelemetry;
//! another is a few lines:
//!
//! ```standalone_crate
//! use genkit::telemetry::{Metric, Telemetry, TraceContext};
//!
//! /// Counts what was served.
//! struct Log;
//!
//! impl Telemetry for Log {
//!     fn set_parent(&self, _: &tracing::Span, parent: &TraceContext) {
//!         eprintln!("goes on with {parent}");
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
#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "each reads what it carries on"))]
mod trace_context;

use std::sync::OnceLock;

use tracing::Span;

pub use self::metric::{Metric, MetricKind};
pub use self::trace_context::TraceContext;

pub use self::labels::label;
pub use self::trace_context::BAGGAGE;
pub use self::trace_context::is_baggage;
#[cfg(feature = "http")]
pub use self::trace_context::{TRACEPARENT, TRACESTATE};
use crate::error::{Error, ErrorKind, Result};

/// Telemetry: what carries traces over the borders of a process, and takes measurements; installed
/// by [`install`].
///
/// Its methods are called while requests are served: they must neither block nor panic.
pub trait Telemetry: Send + Sync + 'static {
    /// Makes a new span, that nobody has entered, go on with the trace of another program.
    fn set_parent(&self, span: &Span, parent: &TraceContext);

    /// The trace that a span belongs to, for another program to go on with. `None` where the span is not recorded.
    fn context_of(&self, span: &Span) -> Option<TraceContext>;

    /// Takes a measurement. A `label` is a name of OpenTelemetry with its value; their number is bounded.
    fn record(&self, metric: Metric, value: f64, labels: &[(&'static str, &str)]);
}

static INSTALLED: OnceLock<Box<dyn Telemetry>> = OnceLock::new();

/// Installs telemetry for the whole process, before it serves and generates.
///
/// # Errors
/// `FailedPrecondition`: there is one already.
pub fn install(telemetry: impl Telemetry) -> Result<()> {
    let installed = INSTALLED.set(Box::new(telemetry));
    installed
        .map_err(|_| Error::new(ErrorKind::FailedPrecondition, "telemetry is installed already"))
}

/// What is installed.
pub fn installed() -> Option<&'static dyn Telemetry> {
    INSTALLED.get().map(|telemetry| &**telemetry)
}

/// The value of `error.type` for a kind of error.
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

/// Says in a span that its work failed.
pub fn failed(span: &Span, error_type: &str) {
    span.record("error.type", error_type);
    span.record("otel.status_code", "ERROR");
}
