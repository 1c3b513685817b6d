//! Export to a collector over OTLP.

use std::time::Duration;

use genkit::{Error, ErrorKind, Result};
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{ExporterBuildError, MetricExporter, SpanExporter};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing_subscriber::filter::{FilterExt as _, Targets, dynamic_filter_fn};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::{Layer as _, fmt};

/// The maximum time that a program waits at exit to send the remaining telemetry. Default is 5 seconds.
const LAST_EXPORT: Duration = Duration::from_secs(5);

/// The default filter of exported spans. rmcp creates spans around its event loop that never end.
const SPANS: &str = "info,rmcp=off";

/// The default log filter if `RUST_LOG` is not set, the same as for `genkit::log_to_stderr`. rmcp logs contents at
/// `info` and `warn`.
const LOGGED: &str = "info,rmcp=off";

/// Creates a builder for an OTLP export of the spans and metrics of the service `name`. The export starts when it is
/// [installed](Otlp::install).
///
/// These environment variables of OpenTelemetry are supported: `OTEL_EXPORTER_OTLP_ENDPOINT`, `_HEADERS`, `_TIMEOUT`,
/// `OTEL_SERVICE_NAME` (takes precedence over `name`), `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_TRACES_SAMPLER`,
/// `OTEL_METRIC_EXPORT_INTERVAL`, `OTEL_SDK_DISABLED`, and the other variables of OpenTelemetry's SDK. Data is sent as
/// protobuf over HTTP/1.1, without gRPC. TLS uses rustls with ring and the certificates of the operating system.
pub fn otlp(name: impl Into<String>) -> Otlp {
    Otlp { name: name.into(), version: None, spans: SPANS.to_owned(), logs: true }
}

/// A builder for an OTLP export, created by [`otlp`].
#[derive(Clone, Debug)]
#[must_use = "the export starts with `.install()`"]
pub struct Otlp {
    name: String,
    version: Option<String>,
    spans: String,
    logs: bool,
}

impl Otlp {
    /// Sets the service version.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// Sets the filter of exported spans, in the syntax of `RUST_LOG`. Default is `info,rmcp=off`.
    pub fn spans(mut self, filter: impl Into<String>) -> Self {
        self.spans = filter.into();
        self
    }

    /// Sets whether events, with the spans around them, are also logged to standard error, filtered by `RUST_LOG`.
    /// Default is `true`.
    pub fn log_to_stderr(mut self, yes: bool) -> Self {
        self.logs = yes;
        self
    }

    /// Installs the export. It runs until the returned guard is dropped, which sends the remaining data. Keep the guard
    /// in `main`.
    ///
    /// Log events are not attached to spans, because they may contain sensitive contents.
    ///
    /// # Errors
    /// Returns `FailedPrecondition` if the program has already set a subscriber or telemetry; in that case, add
    /// OpenTelemetry's layer to that subscriber and call [`install`](crate::install). Returns `InvalidArgument` if an
    /// environment variable or the span filter is malformed.
    pub fn install(self) -> Result<ExportGuard> {
        let malformed = |error| Error::invalid_argument(format!("invalid span filter: {error}"));
        let spans: Targets = self.spans.parse().map_err(malformed)?;
        let providers = if is_disabled() { None } else { Some(self.build_providers()?) };
        let traces = providers.as_ref().map(|(tracers, _)| {
            let layer = tracing_opentelemetry::layer()
                .with_tracer(tracers.tracer("genkit"))
                .with_location(false)
                .with_target(false)
                .with_threads(false)
                .with_tracked_inactivity(false);
            // Only spans are exported, because log events may contain sensitive contents. The filter is dynamic,
            // so that its result is not cached.
            layer.with_filter(spans.and(dynamic_filter_fn(|metadata, _| metadata.is_span())))
        });
        let logs = self.logs.then(|| {
            let wanted = std::env::var("RUST_LOG").ok();
            let filter = wanted.as_deref().unwrap_or(LOGGED).parse::<Targets>();
            let filter =
                filter.unwrap_or_else(|_| Targets::new().with_default(tracing::Level::INFO));
            let layer = fmt::layer().with_writer(std::io::stderr).with_ansi(false);
            layer.with_filter(filter)
        });
        let subscriber = tracing_subscriber::registry().with(traces).with(logs);
        tracing::subscriber::set_global_default(subscriber).map_err(|_| {
            let text = "a `tracing` subscriber is already set; add `tracing_opentelemetry::layer()` to it, set \
                 OpenTelemetry's providers and call `genkit_opentelemetry::install()`";
            Error::new(ErrorKind::FailedPrecondition, text)
        })?;
        if let Some((tracers, meters)) = &providers {
            opentelemetry::global::set_tracer_provider(tracers.clone());
            opentelemetry::global::set_meter_provider(meters.clone());
            crate::install()?;
        }
        Ok(ExportGuard { providers })
    }

    fn build_providers(&self) -> Result<(SdkTracerProvider, SdkMeterProvider)> {
        // An error means that the program has already installed a provider.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut resource = Resource::builder();
        if std::env::var_os("OTEL_SERVICE_NAME").is_none() {
            resource = resource.with_service_name(self.name.clone());
        }
        if let Some(version) = &self.version {
            let version = opentelemetry::KeyValue::new("service.version", version.clone());
            resource = resource.with_attribute(version);
        }
        let resource = resource.build();
        let spans = SpanExporter::builder().with_http().build().map_err(exporter_error)?;
        let metrics = MetricExporter::builder().with_http().build().map_err(exporter_error)?;
        let tracers = SdkTracerProvider::builder()
            .with_resource(resource.clone())
            .with_batch_exporter(spans)
            .build();
        let meters = SdkMeterProvider::builder()
            .with_resource(resource)
            .with_periodic_exporter(metrics)
            .build();
        Ok((tracers, meters))
    }
}

/// A guard that keeps an export running. Dropping it sends the remaining data and ends the export.
#[must_use = "the export ends when this is dropped"]
pub struct ExportGuard {
    providers: Option<(SdkTracerProvider, SdkMeterProvider)>,
}

impl std::fmt::Debug for ExportGuard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Exporting").field("disabled", &self.providers.is_none()).finish()
    }
}

impl Drop for ExportGuard {
    fn drop(&mut self) {
        let Some((tracers, meters)) = self.providers.take() else { return };
        let ends =
            [tracers.shutdown_with_timeout(LAST_EXPORT), meters.shutdown_with_timeout(LAST_EXPORT)];
        for error in ends.into_iter().filter_map(std::result::Result::err) {
            tracing::warn!(%error, "failed to export the remaining telemetry at shutdown");
        }
    }
}

/// Returns whether the environment disables the export.
fn is_disabled() -> bool {
    std::env::var("OTEL_SDK_DISABLED").is_ok_and(|said| said.eq_ignore_ascii_case("true"))
}

fn exporter_error(error: ExporterBuildError) -> Error {
    Error::invalid_argument("failed to set up the OTLP exporter").with_source(error)
}
