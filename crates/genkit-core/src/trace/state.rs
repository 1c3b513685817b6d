//! The state of an open span.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::id::{SpanId, TraceId};

/// The state that a span shares with the spans inside it.
pub(super) struct SpanState {
    pub(super) trace_id: TraceId,
    pub(super) span_id: SpanId,
    pub(super) parent: Option<SpanId>,
    pub(super) name: String,
    pub(super) path: String,
    /// Whether this is a root without externally chosen ids. Its end must flush the exporter.
    pub(super) is_own_root: bool,
    /// The start time, in milliseconds since the Unix epoch.
    pub(super) start: f64,
    pub(super) started: Instant,
    /// The time between `start` and `started`: a root may have started in another process.
    pub(super) earlier: Duration,
    /// Whether the trace may be continued later. If so, work that is dropped was only suspended, not cancelled.
    pub(super) is_continued: bool,
    pub(super) attributes: Mutex<Map<String, Value>>,
}

impl SpanState {
    pub(super) fn ids(&self) -> (TraceId, SpanId) {
        (self.trace_id, self.span_id)
    }
}
