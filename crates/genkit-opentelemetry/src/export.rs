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

/// How long the end of a program waits for the last spans. Default is 5 seconds.
const LAST_EXPORT: Duration = Duration::from_secs(5);

/// Which spans are exported. rmcp has some around its own loop, which never end.
const SPANS: &str = "info,rmcp=off";

/// What is logged unless `RUST_LOG` is set: as `genkit::log_to_stderr`. rmcp writes contents at `info` and `warn`.
const LOGGED: &str = "info,rmcp=error";

/// OTLP export of the spans and metrics of the service `name`, once it is
/// [installed](Otlp::install).
///
/// OpenTelemetry's environment variables are heeded: `OTEL_EXPORTER_OTLP_ENDPOINT`, `_HEADERS`, `_TIMEOUT`,
/// `OTEL_SERVICE_NAME` (counts more than `name`), `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_TRACES_SAMPLER`,
/// `OTEL_METRIC_EXPORT_INTERVAL`, `OTEL_SDK_DISABLED`, and the others of its SDK. What is sent is protobuf over
/// HTTP/1.1, without gRPC; TLS is rustls with ring and the certificates of this system.
pub fn otlp(name: impl Into<String>) -> Otlp {
    Otlp { name: name.into(), version: None, spans: SPANS.to_owned(), logs: true }
}

/// OTLP export that is being set up: [`otlp`] begins one.
#[derive(Clone, Debug)]
#[must_use = "it begins with `.install()`"]
pub struct Otlp {
    name: String,
    version: Option<String>,
    spans: String,
    logs: bool,
}

impl Otlp {
    /// Service version.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// Span filter: which spans are exported, as `RUST_LOG` says which lines are logged. Default is
    /// `info,rmcp=off`.
    pub fn spans(mut self, filter: impl Into<String>) -> Self {
        self.spans = filter.into();
        self
    }

    /// Logging to standard error: whether what is traced is logged there as well, by `RUST_LOG`.
    /// Default is `true`.
    pub fn log_to_stderr(mut self, yes: bool) -> Self {
        self.logs = yes;
        self
    }

    /// Installs the export: it goes on until what this returns is dropped, which sends what is
    /// left. Keep it in `main`.
    ///
    /// Events are no part of the spans: what a log line says may be contents.
    ///
    /// # Errors
    /// `FailedPrecondition`: the program has set a subscriber or telemetry before; it adds OpenTelemetry's layer to
    /// its own then and calls [`install`](crate::install). `InvalidArgument`: an environment variable or the filter of
    /// spans is malformed.
    pub fn install(self) -> Result<Exporting> {
        let malformed = |error| Error::invalid_argument(format!("the filter of spans: {error}"));
        let spans: Targets = self.spans.parse().map_err(malformed)?;
        let providers = if is_disabled() { None } else { Some(self.providers()?) };
        let traces = providers.as_ref().map(|(tracers, _)| {
            let layer = tracing_opentelemetry::layer()
                .with_tracer(tracers.tracer("genkit"))
                .with_location(false)
                .with_target(false)
                .with_threads(false)
                .with_tracked_inactivity(false);
            // What a log line says may be contents: spans alone. Dynamic, so that each span is asked for anew,
            // whatever was asked before it.
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
            let text = "a subscriber of `tracing` is set already: add `tracing_opentelemetry::layer()` to it, set \
                 OpenTelemetry's providers and call `genkit_opentelemetry::install()`";
            Error::new(ErrorKind::FailedPrecondition, text)
        })?;
        if let Some((tracers, meters)) = &providers {
            opentelemetry::global::set_tracer_provider(tracers.clone());
            opentelemetry::global::set_meter_provider(meters.clone());
            crate::install()?;
        }
        Ok(Exporting { providers })
    }

    fn providers(&self) -> Result<(SdkTracerProvider, SdkMeterProvider)> {
        // An error is one that the program has installed.
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
        let spans = SpanExporter::builder().with_http().build().map_err(unusable)?;
        let metrics = MetricExporter::builder().with_http().build().map_err(unusable)?;
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

/// Export that goes on until this is dropped, which sends what is left.
#[must_use = "the export ends where this is dropped"]
pub struct Exporting {
    providers: Option<(SdkTracerProvider, SdkMeterProvider)>,
}

impl std::fmt::Debug for Exporting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Exporting").field("disabled", &self.providers.is_none()).finish()
    }
}

impl Drop for Exporting {
    fn drop(&mut self) {
        let Some((tracers, meters)) = self.providers.take() else { return };
        let ends =
            [tracers.shutdown_with_timeout(LAST_EXPORT), meters.shutdown_with_timeout(LAST_EXPORT)];
        for error in ends.into_iter().filter_map(std::result::Result::err) {
            tracing::warn!(%error, "the last telemetry could not be sent");
        }
    }
}

/// Whether the environment wants nothing exported.
fn is_disabled() -> bool {
    std::env::var("OTEL_SDK_DISABLED").is_ok_and(|said| said.eq_ignore_ascii_case("true"))
}

fn unusable(error: ExporterBuildError) -> Error {
    Error::invalid_argument("the export over OTLP cannot be set up").with_source(error)
}
