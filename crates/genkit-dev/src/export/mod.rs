//! Export to Genkit's telemetry server: `GENKIT_TELEMETRY_SERVER`, or the one that its developer tools
//! name later.
//!
//! A thread of its own sends, so that a program with several runtimes, or one that ends, keeps its
//! traces. What runs only puts spans into a bounded queue.

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

/// Nobody has looked yet.
const UNKNOWN: u8 = 0;
const OFF: u8 = 1;
const ON: u8 = 2;

/// Whether somebody exports spans.
static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);

static EXPORTER: OnceLock<Exporter> = OnceLock::new();

/// Whether somebody exports spans.
#[inline]
pub(crate) fn is_on() -> bool {
    // A test that is about traces sees those of its own thread; the others have none.
    #[cfg(test)]
    if !crate::export::tests::is_on_here() {
        return false;
    }
    match STATE.load(Ordering::Relaxed) {
        UNKNOWN => look(),
        state => state == ON,
    }
}

/// Looks once whether the environment names a server.
#[cold]
fn look() -> bool {
    match server_of_environment() {
        Some(url) => Exporter::install(url),
        // Whoever named a server meanwhile stays.
        None => {
            let _ = STATE.compare_exchange(UNKNOWN, OFF, Ordering::Relaxed, Ordering::Relaxed);
        }
    }
    STATE.load(Ordering::Relaxed) == ON
}

/// The server that the environment names, in development.
fn server_of_environment() -> Option<Url> {
    if !is_development() {
        return None;
    }
    let named = std::env::var("GENKIT_TELEMETRY_SERVER").ok().filter(|url| !url.is_empty())?;
    let url = traces_of(&named);
    if url.is_none() {
        tracing::warn!(
            "GENKIT_TELEMETRY_SERVER is no URL of HTTP, and no trace is sent: set it to one like \
             `http://localhost:4033`"
        );
    }
    url
}

/// Exports to the server that the developer tools named, unless the environment names one. Later calls
/// replace it: the server of a short command ends with it. Only servers of this machine are taken.
pub(crate) fn export_to(server: &str) {
    if is_on() && server_of_environment().is_some() {
        return;
    }
    match traces_of(server).filter(genkit_http_client::internal::net::is_loopback) {
        Some(url) => Exporter::install(url),
        None => tracing::warn!(
            "a telemetry server that is not on this machine was named, and gets no traces: set \
             GENKIT_TELEMETRY_SERVER to send them there"
        ),
    }
}

/// The address that takes traces.
fn traces_of(server: &str) -> Option<Url> {
    let url = Url::parse(&format!("{}/api/traces", server.trim_end_matches('/'))).ok()?;
    matches!(url.scheme(), "http" | "https").then_some(url)
}

/// Waits until what ended is sent, for a limited time.
pub(crate) async fn flush() {
    if let Some(exporter) = EXPORTER.get() {
        exporter.queue.flush().await;
    }
}

fn started(record: &mut dyn FnMut() -> SpanRecord) {
    if let Some(exporter) = EXPORTER.get().filter(|exporter| exporter.is_realtime) {
        exporter.queue.push(record());
    }
}

fn ended(record: SpanRecord) {
    if let Some(exporter) = EXPORTER.get() {
        exporter.queue.push(record);
    }
}

struct ToTelemetryServer;

inventory::submit! { LinkedExporter(&ToTelemetryServer) }

impl SpanExporter for ToTelemetryServer {
    fn is_on(&self) -> bool {
        is_on()
    }

    fn started(&self, record: &mut dyn FnMut() -> SpanRecord) {
        started(record);
    }

    fn ended(&self, record: SpanRecord) {
        ended(record);
    }

    fn flush(&self) -> BoxFuture<'static, ()> {
        Box::pin(flush())
    }
}

struct Exporter {
    queue: Queue,
    /// Spans are sent when they begin, too.
    is_realtime: bool,
}

impl Exporter {
    /// Exports to `url` from now on.
    fn install(url: Url) {
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

/// Exports everything to `url`, at start and end: for tests.
#[cfg(test)]
pub(super) fn export_all_to(url: &str) {
    Exporter::install_with(traces_of(url).unwrap(), || true);
}
