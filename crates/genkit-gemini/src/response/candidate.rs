//! One candidate of a response, assembled from its pieces.

use serde_json::{Value, json};

use super::body;
use genkit_core::FinishReason;
use genkit_core::Part;

/// The capacity to reserve for a string from its second piece on, in bytes.
const SHORT_TEXT: usize = 128;

/// The new content of the first candidate, for a stream.
pub(super) enum Fresh {
    /// The chunks are read, so the parts are collected.
    Parts(Vec<Part>),
    /// The chunks are not read. `true` if there was new content.
    Unread(bool),
}

/// The state of one candidate that is being read.
#[derive(Default)]
pub(super) struct CandidateState {
    pub(super) is_there: bool,
    pub(super) parts: Vec<Part>,
    pub(super) reason: Option<String>,
    pub(super) message: Option<String>,
}

impl CandidateState {
    pub(super) fn read_ending(&mut self, reason: Option<String>, message: Option<String>) {
        self.is_there = true;
        self.reason = reason.or(self.reason.take());
        self.message = message.or(self.message.take());
    }

    /// Adds a part. Text is appended to an adjacent part of the same kind, unless one of them is
    /// signed.
    pub(super) fn push_part(&mut self, part: Part, fresh: Option<&mut Fresh>) {
        let is_plain = part.metadata().is_empty();
        let is_empty = match &part {
            Part::Text { text, .. } | Part::Reasoning { reasoning: text, .. } => text.is_empty(),
            _ => false,
        };
        if is_empty && is_plain {
            return;
        }
        let joined = is_plain && self.parts.last_mut().is_some_and(|last| join_parts(last, &part));
        match (joined, fresh.and_then(Fresh::read)) {
            (true, Some(fresh)) => fresh.push(part),
            (true, None) => {}
            (false, Some(fresh)) => {
                fresh.push(part.clone());
                self.parts.push(part);
            }
            (false, None) => self.parts.push(part),
        }
    }

    /// Appends text to the last part without creating a part, if the chunks are not read and the
    /// text can be joined. Returns whether it was appended.
    pub(super) fn join_unread(&mut self, text: &str, fresh: Option<&mut Fresh>) -> bool {
        let Some(Fresh::Unread(is_any)) = fresh else { return false };
        let joined = self.parts.last_mut().is_some_and(|last| join_text(last, text));
        *is_any |= joined;
        joined
    }

    pub(super) fn into_value((index, state): (u64, Self)) -> Value {
        let reason = state.reason.as_deref().map_or(FinishReason::Unknown, body::finish_reason);
        json!({
            "index": index,
            "message": body::model_message(state.parts),
            "finishReason": reason,
            "finishMessage": state.message,
        })
    }
}

impl Fresh {
    /// Returns the list for a new part if the chunks are read. Otherwise, records that there is a new part.
    fn read(&mut self) -> Option<&mut Vec<Part>> {
        match self {
            Self::Parts(parts) => Some(parts),
            Self::Unread(is_any) => {
                *is_any = true;
                None
            }
        }
    }
}

/// Appends the text of a part to the last part, if the last part is unsigned and of the same kind.
fn join_parts(last: &mut Part, part: &Part) -> bool {
    match (last, part) {
        (last @ Part::Text { .. }, Part::Text { text: more, .. }) => join_text(last, more),
        (
            Part::Reasoning { reasoning: text, metadata, .. },
            Part::Reasoning { reasoning: more, .. },
        ) if metadata.is_empty() => {
            append_text(text, more);
            true
        }
        _ => false,
    }
}

/// Appends text to the last part, if the last part is unsigned text.
fn join_text(last: &mut Part, more: &str) -> bool {
    match last {
        Part::Text { text, metadata, .. } if metadata.is_empty() => {
            append_text(text, more);
            true
        }
        _ => false,
    }
}

/// Appends text. Reserves capacity, because more text usually follows.
fn append_text(text: &mut String, more: &str) {
    text.reserve(if text.len() < SHORT_TEXT { SHORT_TEXT } else { more.len() });
    text.push_str(more);
}
