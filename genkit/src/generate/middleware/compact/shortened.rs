//! The request that is sent in the place of a long one.

use super::memory::Remembered;
use super::summary;
use crate::model::{Encoded, ModelRequest};

/// The request without what is left out, and with a note in its place.
pub(super) fn shortened(request: &ModelRequest, known: &Remembered) -> ModelRequest {
    let mut short = ModelRequest { messages: Vec::new(), ..beside(request) };
    let first = known.left_out.first().copied();
    for (at, message) in request.messages.iter().enumerate() {
        if first == Some(at) {
            short.messages.push(summary::note(known.left_out.len(), known.summary.as_deref()));
        }
        if !known.left_out.contains(&at) {
            short.messages.push(message.clone());
        }
    }
    short
}

/// The request without its messages, which are many.
fn beside(request: &ModelRequest) -> ModelRequest {
    let ModelRequest { messages: _, config, tools, tool_choice, output, docs, encoded: _ } =
        request;
    ModelRequest {
        messages: Vec::new(),
        config: config.clone(),
        tools: tools.clone(),
        tool_choice: tool_choice.clone(),
        output: output.clone(),
        docs: docs.clone(),
        // Its messages are others.
        encoded: Encoded::default(),
    }
}
