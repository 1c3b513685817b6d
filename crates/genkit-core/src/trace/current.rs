//! The current span of a task, which is the parent of spans that start in it.

use std::sync::{Arc, Mutex};

use serde_json::Value;

use super::id::{SpanId, TraceId};
use super::record::bound_value;
use super::root::Root;
use super::state::SpanState;
use crate::sync::lock;

tokio::task_local! {
    /// The position of the task in its trace.
    pub(super) static CURRENT: Position;
}

/// A position in a trace.
#[derive(Clone)]
pub(super) enum Position {
    /// Before the first span of a trace, which becomes the root.
    Root(Arc<Mutex<PendingRoot>>),
    /// Inside a span.
    Span(Arc<SpanState>),
}

/// A root that the first span uses. Later spans become siblings in the same trace.
pub(super) struct PendingRoot {
    pub(super) trace_id: TraceId,
    pub(super) unused: Option<Root>,
}

impl Position {
    pub(super) fn root(root: Root) -> Self {
        let place = PendingRoot { trace_id: root.trace_id, unused: Some(root) };
        Self::Root(Arc::new(Mutex::new(place)))
    }

    /// Returns the position of this task, or `None` outside a trace.
    pub(super) fn current() -> Option<Self> {
        CURRENT.try_with(Self::clone).ok()
    }
}

/// Returns the ids of the current span.
pub(super) fn current_ids() -> Option<(TraceId, SpanId)> {
    match Position::current()? {
        Position::Span(span) => Some(span.ids()),
        Position::Root(_) => None,
    }
}

pub(super) fn annotate_current(key: &str, value: impl FnOnce() -> Value) {
    if let Some(Position::Span(span)) = Position::current() {
        lock(&span.attributes).insert(key.to_owned(), bound_value(value()));
    }
}
