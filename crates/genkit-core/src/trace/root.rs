//! The root of a trace, with ids that are chosen before the trace starts.

use serde_json::{Map, Value};

use super::id::{SpanId, TraceId};

/// The root of a trace whose ids are known before it starts.
#[derive(Clone, Debug)]
pub struct Root {
    #[doc(hidden)]
    pub trace_id: TraceId,
    #[doc(hidden)]
    pub span_id: SpanId,
    /// Attributes of the root span, added unchanged.
    #[doc(hidden)]
    pub labels: Map<String, Value>,
    /// The action context. It is recorded without the values of `auth` and `secrets`.
    #[doc(hidden)]
    pub context: Map<String, Value>,
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
        }
    }
}
