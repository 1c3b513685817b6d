//! Reads one line as a message, or as the reason why it is none.

use std::borrow::Cow;

use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolRequest, CallToolRequestParams, ErrorCode, JsonRpcMessage, RequestId},
    service::RxJsonRpcMessage,
};
use serde::{Deserialize, Serialize, de::IgnoredAny};
use serde_json::error::Category;

use crate::mcp::jsonrpc::{Envelope, Frame, Id, MAX_NESTING, Outline, nesting};

/// A message from the client.
pub(crate) type ClientMessage = RxJsonRpcMessage<RoleServer>;

/// What becomes of a line that is no message.
#[derive(Debug)]
pub(crate) enum Rejected {
    /// The client gets this error.
    Answer(Box<Refusal>),
    /// Nobody waits for an answer: the reason is logged.
    Silent(Cow<'static, str>),
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
        Frame::TooLong(outline, _) => {
            let fault = format!("the line is longer than {limit} bytes");
            rejected(outline, ErrorCode::INVALID_REQUEST, fault)
        }
    }
}

/// Reads one line that is not blank.
pub(crate) fn parse(line: &[u8]) -> Result<ClientMessage, Rejected> {
    let text = std::str::from_utf8(line)
        .map_err(|error| not_json(format!("it is not UTF-8 ({error})")))?;
    if !text.starts_with('{') {
        return Err(no_object(text));
    }
    let envelope = match serde_json::from_str::<Envelope<'_>>(text) {
        Ok(envelope) => envelope,
        Err(error) => return unreadable(text, Outline::default(), &error),
    };
    if let Some(message) = tool_call(text, &envelope) {
        return Ok(message);
    }
    serde_json::from_str(text).or_else(|error| match error.classify() {
        Category::Data => unusable(&envelope),
        Category::Syntax | Category::Eof | Category::Io => {
            unreadable(text, envelope.outline(), &error)
        }
    })
}

/// Decides who gets the error of a message that could not be read.
///
/// A request gets an error. So does a line that says nothing of itself, with an unknown id. A
/// notification gets none. An answer goes to whoever waits for it here, as an error: the id in it
/// is ours, and would mean another request to the client.
fn rejected(
    outline: Outline,
    code: ErrorCode,
    fault: impl Into<Cow<'static, str>>,
) -> Result<ClientMessage, Rejected> {
    let fault = fault.into();
    match (outline.method, outline.id, outline.answer) {
        (false, Id::Usable(id), true) => {
            let error = ErrorData::new(code, format!("unusable answer: {fault}"), None);
            Ok(JsonRpcMessage::error(error, Some(id)))
        }
        (false, _, true) | (true, Id::Absent, _) => Err(Rejected::Silent(fault)),
        (_, id, _) => Err(Refusal::answer(code, id.usable(), fault)),
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

/// A line that is JSON, but no object.
fn no_object(text: &str) -> Rejected {
    let fault = match serde_json::from_str::<IgnoredAny>(text) {
        Err(error) => return not_json(error.to_string()),
        Ok(_) if text.starts_with('[') => "batches are not accepted: one message on each line",
        Ok(_) => "a message is a JSON object",
    };
    Refusal::answer(ErrorCode::INVALID_REQUEST, None, fault)
}

/// JSON that rmcp cannot take for any message.
fn unusable(envelope: &Envelope<'_>) -> Result<ClientMessage, Rejected> {
    let outline = envelope.outline();
    if let Some(fault) = envelope.fault() {
        return rejected(outline, ErrorCode::INVALID_REQUEST, fault);
    }
    if outline.answer {
        return rejected(outline, ErrorCode::INVALID_REQUEST, "`result` or `error` is malformed");
    }
    // All else is in order, and any object would have made a custom request.
    rejected(outline, ErrorCode::INVALID_PARAMS, "`params`, and `_meta` in it, must be objects")
}

/// A line that `serde_json` cannot read: nested too deeply, a member twice, or no JSON.
fn unreadable(
    text: &str,
    outline: Outline,
    error: &serde_json::Error,
) -> Result<ClientMessage, Rejected> {
    if nesting(text) > MAX_NESTING {
        let fault = format!("the message is nested deeper than {MAX_NESTING} levels");
        return rejected(outline, ErrorCode::INVALID_REQUEST, fault);
    }
    if error.classify() == Category::Data {
        return rejected(outline, ErrorCode::INVALID_REQUEST, error.to_string());
    }
    Err(not_json(error.to_string()))
}

fn not_json(fault: String) -> Rejected {
    Refusal::answer(ErrorCode::PARSE_ERROR, None, format!("the line is not JSON: {fault}"))
}

impl Refusal {
    fn answer(
        code: ErrorCode,
        id: Option<RequestId>,
        message: impl Into<Cow<'static, str>>,
    ) -> Rejected {
        let error = ErrorData::new(code, message, None);
        Rejected::Answer(Box::new(Self { jsonrpc: "2.0", id, error }))
    }
}
