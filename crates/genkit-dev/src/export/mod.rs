//! Export to Genkit's telemetry server: the server in `GENKIT_TELEMETRY_SERVER`, or a server that the developer tools
//! provide later.
//!
//! Spans are sent by a dedicated thread, so that traces are not lost if a program has several runtimes or exits. Other
//! threads only put spans into a bounded queue.

mod genkit_form;
mod queue;
mod sender;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use reqwest::Url;

use self::queue::Queue;
use genkit_core::BoxFuture;
use genkit_core::internal::environment::is_development;
use genkit_core::internal::trace::{LinkedExporter, SpanExporter, SpanRecord};

/// The environment has not been read yet.
const UNKNOWN: u8 = 0;
const OFF: u8 = 1;
const ON: u8 = 2;

/// Whether spans are exported.
static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);

static EXPORTER: OnceLock<Exporter> = OnceLock::new();

/// Returns whether spans are exported.
#[inline]
pub(crate) fn is_on() -> bool {
    // Only the threads of tests about traces export spans.
    #[cfg(test)]
    if !crate::export::tests::is_on_here() {
        return false;
    }
    match STATE.load(Ordering::Relaxed) {
        UNKNOWN => read_environment(),
        state => state == ON,
    }
}

/// Reads the environment once, and returns whether it specifies a server.
#[cold]
fn read_environment() -> bool {
    match server_of_environment() {
        Some(url) => Exporter::install_for(url),
        // A server that was set in the meantime is kept.
        None => {
            let _ = STATE.compare_exchange(UNKNOWN, OFF, Ordering::Relaxed, Ordering::Relaxed);
        }
    }
    STATE.load(Ordering::Relaxed) == ON
}

/// Returns the server that the environment specifies, in development.
fn server_of_environment() -> Option<Url> {
    if !is_development() {
        return None;
    }
    let named = std::env::var("GENKIT_TELEMETRY_SERVER").ok().filter(|url| !url.is_empty())?;
    let url = traces_url(&named);
    if url.is_none() {
        tracing::warn!(
            "GENKIT_TELEMETRY_SERVER is not an HTTP URL, so traces are not exported; set it to a URL such as \
             `http://localhost:4033`"
        );
    }
    url
}

/// Exports to the server that the developer tools provide, unless the environment specifies one. A later call replaces
/// the server, because the server of a short-lived command exits with it. Only servers on this machine are accepted.
pub(crate) fn export_to(server: &str) {
    if is_on() && server_of_environment().is_some() {
        return;
    }
    match traces_url(server).filter(genkit_http_client::internal::net::is_loopback) {
        Some(url) => Exporter::install_for(url),
        None => tracing::warn!(
            "the telemetry server is not on this machine, so traces are not exported to it; to allow this, set \
             GENKIT_TELEMETRY_SERVER"
        ),
    }
}

/// Returns the URL that receives traces.
fn traces_url(server: &str) -> Option<Url> {
    let url = Url::parse(&format!("{}/api/traces", server.trim_end_matches('/'))).ok()?;
    matches!(url.scheme(), "http" | "https").then_some(url)
}

/// Waits until all finished spans are sent, for a limited time.
pub(crate) async fn flush() {
    if let Some(exporter) = EXPORTER.get() {
        exporter.queue.flush().await;
    }
}

fn send_started(record: &mut dyn FnMut() -> SpanRecord) {
    if let Some(exporter) = EXPORTER.get().filter(|exporter| exporter.is_realtime) {
        exporter.queue.push_span(record());
    }
}

fn send_ended(record: SpanRecord) {
    if let Some(exporter) = EXPORTER.get() {
        exporter.queue.push_span(record);
    }
}

struct ToTelemetryServer;

inventory::submit! { LinkedExporter(&ToTelemetryServer) }

impl SpanExporter for ToTelemetryServer {
    fn is_on(&self) -> bool {
        is_on()
    }

    fn started(&self, record: &mut dyn FnMut() -> SpanRecord) {
        send_started(record);
    }

    fn ended(&self, record: SpanRecord) {
        send_ended(record);
    }

    fn flush(&self) -> BoxFuture<'static, ()> {
        Box::pin(flush())
    }
}

struct Exporter {
    queue: Queue,
    /// Whether spans are also sent when they start.
    is_realtime: bool,
}

impl Exporter {
    /// Sets the URL that receives all further spans.
    fn install_for(url: Url) {
        let realtime = || {
            std::env::var_os("GENKIT_ENABLE_REALTIME_TELEMETRY").is_some_and(|yes| yes == "true")
        };
        Self::install_with(url, realtime);
    }

    pub(super) fn install_with(url: Url, is_realtime: impl FnOnce() -> bool) {
        let mut is_new = false;
        let exporter = EXPORTER.get_or_init(|| {
            is_new = true;
            Self { queue: Queue::new(url.clone()), is_realtime: is_realtime() }
        });
        exporter.queue.send_to(url);
        let runs = !is_new || sender::start(exporter.queue.clone());
        STATE.store(if runs { ON } else { OFF }, Ordering::Relaxed);
    }
}

/// Exports all spans to `url`, when they start and when they end, for tests.
#[cfg(test)]
pub(super) fn export_all_to(url: &str) {
    Exporter::install_with(traces_url(url).unwrap(), || true);
}
