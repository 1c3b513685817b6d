//! The exporter of spans, which `genkit-dev` registers at link time. Without an exporter, no span is recorded.

use super::record::SpanRecord;
use crate::future::BoxFuture;

/// An exporter that sends spans to Genkit's developer tools.
pub trait SpanExporter: Sync {
    /// Returns whether spans are currently exported.
    fn is_on(&self) -> bool;

    /// Records that a span has started. `record` is called only if started spans are exported.
    fn started(&self, record: &mut dyn FnMut() -> SpanRecord);

    /// Records that a span has ended.
    fn ended(&self, record: SpanRecord);

    /// Waits until ended spans are sent, for a limited time.
    fn flush(&self) -> BoxFuture<'static, ()>;
}

/// The exporter that a crate registers with `inventory`.
pub struct LinkedExporter(pub &'static dyn SpanExporter);

inventory::collect!(LinkedExporter);

/// Returns the first enabled exporter.
fn active_exporter() -> Option<&'static dyn SpanExporter> {
    inventory::iter::<LinkedExporter>
        .into_iter()
        .map(|linked| linked.0)
        .find(|exporter| exporter.is_on())
}

/// Returns whether spans are exported.
#[inline]
pub fn is_on() -> bool {
    active_exporter().is_some()
}

pub(super) fn span_started(record: impl FnOnce() -> SpanRecord) {
    if let Some(exporter) = active_exporter() {
        let mut record = Some(record);
        exporter.started(&mut || record.take().expect("a start is recorded once")());
    }
}

pub(super) fn span_ended(record: impl FnOnce() -> SpanRecord) {
    if let Some(exporter) = active_exporter() {
        exporter.ended(record());
    }
}

/// Waits until ended spans are sent.
pub async fn flush() {
    if let Some(exporter) = active_exporter() {
        exporter.flush().await;
    }
}
