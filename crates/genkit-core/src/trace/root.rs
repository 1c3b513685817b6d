//! The root of a trace, with ids that are chosen before the trace starts.

use std::time::Duration;

use serde_json::{Map, Value};

use super::id::{SpanId, TraceId};

/// The root of a trace whose ids are known before it starts.
#[derive(Clone, Debug)]
pub struct Root {
    #[doc(hidden)]
    pub trace_id: TraceId,
    #[doc(hidden)]
    pub span_id: SpanId,
    /// The attributes of the root span, which are added unchanged.
    #[doc(hidden)]
    pub labels: Map<String, Value>,
    /// The action context. It is recorded without the values of `auth` and `secrets`.
    #[doc(hidden)]
    pub context: Map<String, Value>,
    /// The start time of a continued root, in milliseconds since the Unix epoch. `None` for a new root.
    started_ms: Option<u64>,
}

impl Root {
    /// Creates a root with random ids.
    #[expect(clippy::new_without_default, reason = "each call creates a different value")]
    pub fn new() -> Self {
        Self {
            trace_id: TraceId::random(),
            span_id: SpanId::random(),
            labels: Map::new(),
            context: Map::new(),
            started_ms: None,
        }
    }

    /// Continues a root that this or another process started. `ids` is the result of [`ids`](Self::ids),
    /// and `began_ms` is the start time in milliseconds since the Unix epoch.
    pub fn continue_from(ids: [u64; 3], began_ms: u64) -> Self {
        let [high, low, span] = ids;
        let trace_id = TraceId::from_halves(high, low);
        Self { trace_id, span_id: SpanId::new(span), started_ms: Some(began_ms), ..Self::new() }
    }

    /// Returns the trace id, in two halves, and the span id.
    pub fn ids(&self) -> [u64; 3] {
        let [high, low] = self.trace_id.halves();
        [high, low, self.span_id.value()]
    }

    /// Returns whether this root continues an earlier root.
    pub(super) fn is_continued(&self) -> bool {
        self.started_ms.is_some()
    }

    /// Returns the time since a continued root was started, or zero for a new root.
    pub(super) fn elapsed_elsewhere(&self, now: Duration) -> Duration {
        self.started_ms
            .map_or(Duration::ZERO, |began| now.saturating_sub(Duration::from_millis(began)))
    }
}
