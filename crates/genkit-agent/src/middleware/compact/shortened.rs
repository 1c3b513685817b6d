//! The shortened request that replaces a long one.

use super::memory::CompactionRecord;
use super::summary;
use genkit_core::ModelRequest;
use genkit_core::internal::model::EncodedMessages;

/// Returns the request with a note instead of the removed messages.
pub(super) fn shorten_request(request: &ModelRequest, known: &CompactionRecord) -> ModelRequest {
    let mut short = without_messages(request);
    short.messages = Vec::new();
    let first = known.left_out.first().copied();
    for (at, message) in request.messages.iter().enumerate() {
        if first == Some(at) {
            short
                .messages
                .push(summary::summary_note(known.left_out.len(), known.summary.as_deref()));
        }
        if !known.left_out.contains(&at) {
            short.messages.push(message.clone());
        }
    }
    short
}

/// Copies the request without its messages, which may be large.
fn without_messages(request: &ModelRequest) -> ModelRequest {
    let ModelRequest { messages: _, config, tools, tool_choice, output, docs, encoded: _, .. } =
        request;
    let mut request = ModelRequest::default();
    request.messages = Vec::new();
    request.config = config.clone();
    request.tools = tools.clone();
    request.tool_choice = tool_choice.clone();
    request.output = output.clone();
    request.docs = docs.clone();
    request.encoded = EncodedMessages::default();
    request
}
