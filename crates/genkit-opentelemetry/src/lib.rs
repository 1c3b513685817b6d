//! OpenTelemetry for [`genkit`]: traces that cross processes, metrics, and export over OTLP.
//!
//! One line, first in `main`:
//!
//! ```no_run
//! # #[cfg(feature = "otlp")]
//! # async fn run() -> genkit::Result<()> {
//! let _telemetry = genkit_opentelemetry::otlp("notes").install()?;
//! // genkit::serve_mcp().await
//! # Ok(())
//! # }
//! ```
//!
//! Spans and metrics go to `OTEL_EXPORTER_OTLP_ENDPOINT` (default is the collector of this machine,
//! `http://localhost:4318`), and the log to standard error. A program with a subscriber and providers of its own
//! adds `tracing_opentelemetry::layer()` to the one and calls [`install`] after it has set the others.
//!
//! What is recorded is a matter of `genkit::telemetry`: names, times and numbers, no contents unless a builder asks
//! for them.
//!
//! It is a crate of its own because OpenTelemetry's have a new version of their API several times a year: `genkit` names
//! none of their types, so that it need not follow.

mod bridge;
#[cfg(feature = "otlp")]
mod export;

use genkit::Result;
use opentelemetry::metrics::Meter;

#[cfg(feature = "otlp")]
pub use self::export::{Exporting, Otlp, otlp};

/// Installs OpenTelemetry as the telemetry of this process: traces through `tracing-opentelemetry`, wherever its layer
/// is in the subscriber, and metrics through the global meter provider, which must be set before.
///
/// # Errors
/// `FailedPrecondition`: telemetry is installed already.
pub fn install() -> Result<()> {
    install_with(&opentelemetry::global::meter("genkit"))
}

/// Installs OpenTelemetry with metrics through this meter: else as [`install`].
///
/// # Errors
/// `FailedPrecondition`: telemetry is installed already.
pub fn install_with(meter: &Meter) -> Result<()> {
    genkit::telemetry::install(bridge::Bridge::new(meter))
}
