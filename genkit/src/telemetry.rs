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
//! [`McpServer::trace_contents`](crate::mcp::McpServer::trace_contents) or
//! [`GenkitBuilder::trace_contents`](crate::GenkitBuilder::trace_contents) asks for them.
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

#[doc(inline)]
pub use genkit_core::{Metric, MetricKind, Telemetry, TraceContext, install};
