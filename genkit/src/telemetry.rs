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
//! results, messages) are only recorded if `trace_contents` of [`McpServer`](crate::mcp::McpServer::trace_contents),
//! [`GenkitBuilder`](crate::GenkitBuilder::trace_contents) or [`Generate`](crate::Generate::trace_contents) is set.
//!
//! `tracing` itself cannot propagate traces between programs or record measurements. An implementation of [`Telemetry`]
//! does both; a program can install one. The crate `genkit-opentelemetry` provides one for OpenTelemetry, and a custom one
//! takes a few lines:
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

#[doc(inline)]
pub use genkit_core::{Metric, MetricKind, Telemetry, TraceContext, install};
