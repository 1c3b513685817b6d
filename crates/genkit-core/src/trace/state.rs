//! What is known of an open span.

use std::sync::Mutex;
use std::time::Instant;

use serde_json::{Map, Value};

use super::id::{SpanId, TraceId};

/// What a span and those inside of it share.
pub(super) struct SpanState {
    pub(super) trace_id: TraceId,
    pub(super) span_id: SpanId,
    pub(super) parent: Option<SpanId>,
    pub(super) name: String,
    pub(super) path: String,
    /// It is a root that nobody gave from outside, so nobody else flushes.
    pub(super) is_own_root: bool,
    /// Milliseconds since the epoch.
    pub(super) start: f64,
    pub(super) started: Instant,
    pub(super) attributes: Mutex<Map<String, Value>>,
}

impl SpanState {
    pub(super) fn ids(&self) -> (TraceId, SpanId) {
        (self.trace_id, self.span_id)
    }
}
