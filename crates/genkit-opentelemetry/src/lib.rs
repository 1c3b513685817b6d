//! OpenTelemetry for [`genkit`]: traces across processes, metrics, and export over OTLP.
//!
//! Add one line to the start of `main`:
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
//! Spans and metrics are sent to `OTEL_EXPORTER_OTLP_ENDPOINT` (by default a local collector at
//! `http://localhost:4318`), and logs go to standard error. If your program has its own subscriber and providers, add
//! `tracing_opentelemetry::layer()` to the subscriber, set the providers, and then call [`install`].
//!
//! See `genkit::telemetry` for the recorded data: names, times and numbers, but no contents unless a builder enables
//! them.
//!
//! OpenTelemetry's crates release breaking versions several times a year. This is a separate crate so that `genkit`
//! does not depend on their types.

mod bridge;
#[cfg(feature = "otlp")]
mod export;

use genkit::Result;
use opentelemetry::metrics::Meter;

#[cfg(feature = "otlp")]
pub use self::export::{ExportGuard, Otlp, otlp};

/// Installs OpenTelemetry as the telemetry of this process: traces through the `tracing-opentelemetry` layer of the
/// subscriber, and metrics through the global meter provider, which must already be set.
///
/// # Errors
/// Returns `FailedPrecondition` if telemetry is already installed.
pub fn install() -> Result<()> {
    install_with(&opentelemetry::global::meter("genkit"))
}

/// Installs OpenTelemetry with metrics through this meter. Otherwise the same as [`install`].
///
/// # Errors
/// Returns `FailedPrecondition` if telemetry is already installed.
pub fn install_with(meter: &Meter) -> Result<()> {
    genkit::telemetry::install(bridge::Bridge::new(meter))
}
