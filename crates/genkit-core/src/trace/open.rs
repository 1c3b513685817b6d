//! Open spans, which end even if their work is cancelled.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value};

use super::current::Position;
use super::record::{self, Failure, SpanRecord, bound_value, bounded_text, json_text};
use super::state::SpanState;
use super::{NewSpan, SpanId, SpanKind, TraceId, exporter};
use crate::error::{Error, Result};
use crate::sync::lock;

/// A span that has started. If it is dropped before it is closed, it ends as cancelled.
pub struct OpenSpan {
    state: Arc<SpanState>,
    has_ended: bool,
}

/// The outcome of a span.
pub enum SpanOutcome<'a> {
    /// The work succeeded with this output.
    Output(Value),
    /// The work failed. The innermost span that ends with an error is recorded as its source.
    Failed(&'a mut Error),
    /// The work was interrupted with this question.
    Interrupted(Value),
    /// The work was cancelled.
    Cancelled,
}

impl<'a> SpanOutcome<'a> {
    /// Returns the outcome of work that returned a `Result`.
    pub fn from_result<T>(result: &'a mut Result<T>, output: impl FnOnce(&T) -> Value) -> Self {
        match result {
            Ok(value) => Self::Output(output(value)),
            Err(error) => Self::Failed(error),
        }
    }
}

impl OpenSpan {
    pub(super) fn begin_child(span: &NewSpan<'_>, parent: Option<&Self>) -> Self {
        let mut attributes = first_attributes(span);
        let position = parent.map(Self::position).or_else(Position::current);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let (mut is_own_root, mut is_continued, mut earlier) = (false, false, Duration::ZERO);
        let (trace_id, span_id, parent, path) = match position {
            Some(Position::Span(parent)) => {
                let path = parent.path.clone();
                is_continued = parent.is_continued;
                (parent.trace_id, SpanId::random(), Some(parent.span_id), path)
            }
            Some(Position::Root(place)) => {
                let mut place = lock(&place);
                let mut span_id = SpanId::random();
                if let Some(root) = place.unused.take() {
                    (span_id, earlier) = (root.span_id, root.elapsed_elsewhere(now));
                    is_continued = root.is_continued();
                    attributes
                        .insert(record::CONTEXT.into(), record::recorded_context(&root.context));
                    attributes.extend(root.labels.into_iter().map(|(k, v)| (k, bound_value(v))));
                }
                (place.trace_id, span_id, None, String::new())
            }
            None => {
                is_own_root = true;
                (TraceId::random(), SpanId::random(), None, String::new())
            }
        };
        let state = SpanState {
            trace_id,
            span_id,
            parent,
            name: span.name.to_owned(),
            path: path + &span.kind.path_segment(span.name),
            is_own_root,
            start: (now - earlier).as_secs_f64() * 1000.0,
            started: Instant::now(),
            earlier,
            is_continued,
            attributes: Mutex::new(Map::new()),
        };
        exporter::span_started(|| state.record_end(0.0, attributes.clone(), None));
        attributes.insert("genkit:input".into(), json_text(&(span.input)()));
        lock(&state.attributes).extend(attributes);
        Self { state: Arc::new(state), has_ended: false }
    }

    /// Returns the position inside this span.
    pub(super) fn position(&self) -> Position {
        Position::Span(Arc::clone(&self.state))
    }

    pub(super) fn is_own_root(&self) -> bool {
        self.state.is_own_root
    }

    /// Ends the span.
    pub fn close(mut self, how: SpanOutcome<'_>) {
        self.has_ended = true;
        self.state.end_span(how);
    }
}

impl Drop for OpenSpan {
    fn drop(&mut self) {
        if !self.has_ended {
            self.state.end_span(SpanOutcome::Cancelled);
        }
    }
}

/// Returns the attributes that are known when a span starts.
fn first_attributes(span: &NewSpan<'_>) -> Map<String, Value> {
    let mut attributes = Map::new();
    attributes.insert("genkit:type".into(), span.kind.type_name().into());
    if let SpanKind::Action(subtype) = span.kind {
        attributes.insert("genkit:metadata:subtype".into(), subtype.into());
        attributes.insert("genkit:key".into(), format!("/{subtype}/{}", span.name).into());
    }
    attributes
}

impl SpanState {
    fn end_span(&self, how: SpanOutcome<'_>) {
        let mut attributes = std::mem::take(&mut *lock(&self.attributes));
        attributes.insert("genkit:name".into(), self.name.clone().into());
        attributes.insert("genkit:path".into(), self.path.clone().into());
        if self.parent.is_none() {
            attributes.insert("genkit:isRoot".into(), true.into());
        }
        let failure = match how {
            SpanOutcome::Output(output) => {
                attributes.insert("genkit:output".into(), json_text(&output));
                None
            }
            SpanOutcome::Interrupted(asked) => {
                attributes.insert("genkit:metadata:interrupt".into(), json_text(&asked));
                None
            }
            SpanOutcome::Failed(error) => {
                if error.note_traced() {
                    attributes.insert("genkit:isFailureSource".into(), true.into());
                }
                Some(Failure {
                    kind: format!("{:?}", error.kind()),
                    message: bounded_text(error.to_string()),
                    chain: bounded_text(error.chain()),
                })
            }
            SpanOutcome::Cancelled if self.is_continued && !std::thread::panicking() => {
                attributes.insert("genkit:metadata:interrupt".into(), true.into());
                None
            }
            SpanOutcome::Cancelled => {
                let (kind, what) = match std::thread::panicking() {
                    true => ("Internal", "panicked"),
                    false => ("Cancelled", "was cancelled before it ended"),
                };
                let message = format!("`{}` {what}", self.name);
                Some(Failure { kind: kind.into(), chain: message.clone(), message })
            }
        };
        let state = if failure.is_some() { "error" } else { "success" };
        attributes.insert("genkit:state".into(), state.into());
        let lasted = self.earlier + self.started.elapsed();
        let end = self.start + lasted.as_secs_f64() * 1000.0;
        exporter::span_ended(|| self.record_end(end, attributes, failure));
    }

    fn record_end(
        &self,
        end: f64,
        attributes: Map<String, Value>,
        failure: Option<Failure>,
    ) -> SpanRecord {
        SpanRecord {
            trace_id: self.trace_id,
            span_id: self.span_id,
            parent: self.parent,
            name: self.name.clone(),
            start: self.start,
            end,
            attributes,
            failure,
        }
    }
}
