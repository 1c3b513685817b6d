//! Reads one line as a message, or as the reason why it is none.

use rmcp::model::{CallToolRequest, CallToolRequestParams, ErrorData, JsonRpcMessage, RequestId};
use rmcp::{RoleServer, service::RxJsonRpcMessage};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::error::Category;

use super::error::Error as E;
use crate::mcp::jsonrpc::{Envelope, Frame, Id, MAX_NESTING, Outline, nesting};

/// A message from the client.
pub(crate) type ClientMessage = RxJsonRpcMessage<RoleServer>;

/// What becomes of a line that is no message.
#[derive(Debug)]
pub(crate) enum Rejected {
    /// The client gets this error.
    Answer(Box<Refusal>),
    /// Nobody waits for an answer: the reason is logged.
    Silent(E),
}

/// An error response to something that never became a request.
#[derive(Debug, Serialize)]
pub(crate) struct Refusal {
    jsonrpc: &'static str,
    // Not rmcp's own type: that one leaves an unknown id out, JSON-RPC wants `null`.
    id: Option<RequestId>,
    error: ErrorData,
}

/// Reads one line, or what is left of one that is too long.
pub(super) fn read(frame: Frame<'_>, limit: usize) -> Result<ClientMessage, Rejected> {
    match frame {
        Frame::Line(line) => parse(line),
        Frame::TooLong(outline, _) => rejected(outline, E::TooLong(limit)),
    }
}

/// Reads one line that is not blank.
pub(super) fn parse(line: &[u8]) -> Result<ClientMessage, Rejected> {
    let text = std::str::from_utf8(line).map_err(|e| Refusal::answer(None, &E::NotUtf8(e)))?;
    if !text.starts_with('{') {
        return Err(Refusal::answer(None, &no_object(text)));
    }
    let envelope = match serde_json::from_str::<Envelope<'_>>(text) {
        Ok(envelope) => envelope,
        Err(error) => return unreadable(text, Outline::default(), error),
    };
    if let Some(message) = tool_call(text, &envelope) {
        return Ok(message);
    }
    serde_json::from_str(text).or_else(|error: serde_json::Error| match error.classify() {
        Category::Data => rejected(envelope.outline(), unusable(&envelope)),
        Category::Syntax | Category::Eof | Category::Io => {
            unreadable(text, envelope.outline(), error)
        }
    })
}

/// Decides who gets the error of a message that could not be read.
///
/// A request gets an error. So does a line that says nothing of itself, with an unknown id. A
/// notification gets none. An answer goes to whoever waits for it here, as an error: the id in it
/// is ours, and would mean another request to the client.
fn rejected(outline: Outline, error: E) -> Result<ClientMessage, Rejected> {
    match (outline.method, outline.id, outline.answer) {
        (false, Id::Usable(id), true) => {
            let message = format!("unusable answer: {error}");
            Ok(JsonRpcMessage::error(ErrorData::new(error.code(), message, None), Some(id)))
        }
        (false, _, true) | (true, Id::Absent, _) => Err(Rejected::Silent(error)),
        (_, id, _) => Err(Refusal::answer(id.usable(), &error)),
    }
}

/// Builds a tool call without the detour over every other message that exists: one pass instead of
/// some fifty tries. Anything unusual is left to the general reader.
fn tool_call(text: &str, envelope: &Envelope<'_>) -> Option<ClientMessage> {
    #[derive(Deserialize)]
    struct WithParams {
        params: CallToolRequestParams,
    }
    let Id::Usable(id) = &envelope.id else { return None };
    if !envelope.is_request("tools/call") {
        return None;
    }
    let mut params = serde_json::from_str::<WithParams>(text).ok()?.params;
    let meta = params.meta.take();
    let mut request = CallToolRequest::new(params);
    // Where rmcp's own reader leaves it.
    if let Some(meta) = meta {
        request.extensions.insert(meta);
    }
    Some(JsonRpcMessage::request(request.into(), id.clone()))
}

/// What is wrong with a line that is no object.
fn no_object(text: &str) -> E {
    match serde_json::from_str::<IgnoredAny>(text) {
        Err(error) => E::NotJson(error),
        Ok(_) if text.starts_with('[') => E::Batch,
        Ok(_) => E::NoObject,
    }
}

/// What is wrong with JSON that rmcp cannot take for any message.
fn unusable(envelope: &Envelope<'_>) -> E {
    match envelope.fault() {
        Some(fault) => E::Member(fault),
        None if envelope.outline().answer => E::Answer,
        // All else is in order, and any object would have made a custom request.
        None => E::Params,
    }
}

/// A line that `serde_json` cannot read: nested too deeply, a member twice, or no JSON.
fn unreadable(
    text: &str,
    outline: Outline,
    error: serde_json::Error,
) -> Result<ClientMessage, Rejected> {
    if nesting(text) > MAX_NESTING {
        return rejected(outline, E::TooDeep);
    }
    if error.classify() == Category::Data {
        return rejected(outline, E::Duplicate(error));
    }
    Err(Refusal::answer(None, &E::NotJson(error)))
}

impl Refusal {
    fn answer(id: Option<RequestId>, error: &E) -> Rejected {
        let error = ErrorData::new(error.code(), error.to_string(), None);
        Rejected::Answer(Box::new(Self { jsonrpc: "2.0", id, error }))
    }
}
