//! The root of a trace that somebody gives from outside.

use serde_json::{Map, Value};

use super::id::{SpanId, TraceId};

/// The root of a trace whose ids are known before it begins.
#[derive(Clone, Debug)]
pub struct Root {
    pub trace_id: TraceId,
    pub span_id: SpanId,
    /// Become attributes of the root span as they are.
    pub labels: Map<String, Value>,
    /// The action context, recorded without what it says of `auth` and `secrets`.
    pub context: Map<String, Value>,
}

impl Root {
    /// A root with ids by chance.
    pub fn new() -> Self {
        Self {
            trace_id: TraceId::random(),
            span_id: SpanId::random(),
            labels: Map::new(),
            context: Map::new(),
        }
    }
}
