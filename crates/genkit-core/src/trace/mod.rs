//! Traces: spans for `tracing`, and spans in Genkit's format for its developer tools. If nothing is exported, the
//! latter cost one atomic load.

mod current;
mod exporter;
mod id;
mod logged;
mod open;
mod record;
mod root;
mod span;
mod state;

use std::future::Future;

use futures_util::future::Either;
use serde_json::{Map, Value};
use tracing::Instrument as _;

pub use exporter::{LinkedExporter, SpanExporter, flush, is_on};
pub use id::{SpanId, TraceId};
pub use open::{OpenSpan, SpanOutcome};
pub use record::SpanRecord;
pub use record::json_text;
pub use root::Root;
pub use span::{NewSpan, SpanKind};

use self::current::{CURRENT, Position};
use crate::error::Result;

/// Runs `work` with `root` as its first span. The caller must also call [`flush`].
pub fn under_root<T>(root: Root, work: impl Future<Output = T>) -> impl Future<Output = T> {
    match is_on() {
        false => Either::Left(work),
        true => Either::Right(Box::pin(CURRENT.scope(Position::root(root), work))),
    }
}

/// Runs `work` in a child of the current span, in `tracing` and in the export. `output` is only called if spans are
/// exported.
pub fn trace_work<T>(
    span: NewSpan<'_>,
    work: impl Future<Output = Result<T>>,
    output: impl FnOnce(&T) -> Value,
) -> impl Future<Output = Result<T>> {
    trace_with_outcome(span, work, |result| SpanOutcome::from_result(result, output))
}

/// Runs `work` like [`trace_work`], for work that does not return a `Result`. `ended` returns the outcome of the work,
/// and is only called if spans are exported.
pub fn trace_with_outcome<T>(
    span: NewSpan<'_>,
    work: impl Future<Output = T>,
    ended: impl FnOnce(&mut T) -> SpanOutcome<'_>,
) -> impl Future<Output = T> {
    let logged = logged::tracing_span(&span);
    record_work(span, work, ended).instrument(logged)
}

/// Records work that already has a `tracing` span, like [`trace_with_outcome`].
pub fn record_work<T>(
    span: NewSpan<'_>,
    work: impl Future<Output = T>,
    ended: impl FnOnce(&mut T) -> SpanOutcome<'_>,
) -> impl Future<Output = T> {
    match is_on() {
        false => Either::Left(work),
        true => Either::Right(Box::pin(record_span(span, work, ended))),
    }
}

async fn record_span<T>(
    span: NewSpan<'_>,
    work: impl Future<Output = T>,
    ended: impl FnOnce(&mut T) -> SpanOutcome<'_>,
) -> T {
    let open = OpenSpan::begin_child(&span, None);
    let mut result = CURRENT.scope(open.position(), work).await;
    end_span(Some(open), &mut result, ended).await;
    result
}

/// Starts a span for use with [`run_inside`], as a child of `parent` or of the current span. Returns `None` if spans are
/// not exported. The span ends as cancelled if it is dropped.
pub fn begin_span(span: &NewSpan<'_>, parent: Option<&OpenSpan>) -> Option<OpenSpan> {
    is_on().then(|| OpenSpan::begin_child(span, parent))
}

/// Runs `work` inside the span `open`, if there is one.
pub fn run_inside<T>(
    open: Option<&OpenSpan>,
    work: impl Future<Output = T>,
) -> impl Future<Output = T> {
    match open {
        None => Either::Left(work),
        Some(open) => Either::Right(Box::pin(CURRENT.scope(open.position(), work))),
    }
}

/// Ends the span `open`, if there is one, with the outcome of its work.
pub async fn end_span<T>(
    open: Option<OpenSpan>,
    result: &mut T,
    ended: impl FnOnce(&mut T) -> SpanOutcome<'_>,
) {
    let Some(open) = open else { return };
    let is_own_root = open.is_own_root();
    open.close(ended(result));
    if is_own_root {
        // The program may exit next, and nothing else waits for unsent spans.
        flush().await;
    }
}

/// Returns the ids of the current span, if spans are exported.
pub fn current_ids() -> Option<(TraceId, SpanId)> {
    if is_on() { current::current_ids() } else { None }
}

/// Serializes a value to JSON. Returns null if that fails.
pub fn to_json(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// Adds an attribute to the current span. `value` is only called if spans are exported.
pub fn annotate_span(key: &str, value: impl FnOnce() -> Value) {
    if is_on() {
        current::annotate_current(key, value);
    }
}

/// Records an action context in the current span, without the values of `auth` and `secrets`.
pub fn annotate_context(context: &Map<String, Value>) {
    if !context.is_empty() {
        annotate_span(record::CONTEXT, || record::recorded_context(context));
    }
}
