//! One line of a server to one message, or to what has to happen where it is none.

use std::borrow::Cow;

use rmcp::model::{
    CustomResult, ErrorCode, ErrorData, JsonRpcMessage, JsonRpcNotification, RequestId,
    ServerNotification, ServerResult,
};
use serde::Deserialize;
use serde_json::Value;

use super::in_flight::{Open, Reading};
use super::stray_output::excerpt;
use super::{Incoming, Outgoing};
use crate::mcp::lines::{Envelope, Id, MAX_NESTING, Member, Outline, Scanner, nesting};

/// What becomes of a line.
#[derive(Debug)]
pub(crate) enum Line {
    /// rmcp gets this.
    Message(Box<Incoming>),
    /// The server gets this error, for its request cannot be read.
    Refused(Box<Outgoing>),
    /// It is passed over: why, and how it begins.
    Noise(Cow<'static, str>, String),
}

impl Line {
    fn of(message: Incoming) -> Self {
        Self::Message(Box::new(message))
    }
}

/// Reads one line that is not blank.
pub(crate) fn read(line: &[u8], open: &Open) -> Line {
    let text = match std::str::from_utf8(line) {
        Ok(text) => text,
        Err(error) => return broken(line, format!("is not UTF-8 ({error})"), open),
    };
    if !text.starts_with('{') {
        let fault = if text.starts_with('[') { "no JSON object" } else { "no JSON" };
        return Line::Noise(fault.into(), excerpt(line));
    }
    let envelope = match serde_json::from_str::<Envelope<'_>>(text) {
        Ok(envelope) => envelope,
        Err(error) => return broken(line, unreadable(text, &error), open),
    };
    match shape(&envelope) {
        Shape::Response | Shape::Failure => answer(text, &envelope, open),
        Shape::Request => request(text, &envelope),
        Shape::Notification => notification(text, &envelope),
        Shape::None => Line::Noise("no JSON-RPC message".into(), excerpt(line)),
    }
}

/// What becomes of a line above the limit, of which only the outline is known.
pub(crate) fn too_long(outline: Outline, bytes: u64, limit: usize, open: &Open) -> Line {
    let fault = format!(
        "is {bytes} bytes long; {limit} are read: raise `.max_message(..)` or ask for less"
    );
    by_outline(outline, fault, ErrorCode::INVALID_REQUEST, open, String::new)
}

/// What the members say that an object is.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Response,
    Failure,
    Request,
    Notification,
    None,
}

fn shape(envelope: &Envelope<'_>) -> Shape {
    let there = |member: &Member<'_>| !matches!(member, Member::Absent);
    let null = |member: &Member<'_>| matches!(member, Member::Null);
    match (there(&envelope.method), there(&envelope.result), there(&envelope.error)) {
        // Some servers say `"error": null` beside a result.
        (_, true, true) if null(&envelope.error) => Shape::Response,
        (_, _, true) => Shape::Failure,
        (_, true, false) => Shape::Response,
        // Servers log JSON objects with an `id` or a `method` too.
        (_, false, false) if !there(&envelope.jsonrpc) => Shape::None,
        (true, ..) if envelope.id == Id::Absent => Shape::Notification,
        (true, ..) => Shape::Request,
        (false, ..) if envelope.id == Id::Absent => Shape::None,
        (false, ..) => Shape::Response,
    }
}

/// An answer, or an error in its stead for whoever waits for it.
fn answer(text: &str, envelope: &Envelope<'_>, open: &Open) -> Line {
    let failed = shape(envelope) == Shape::Failure;
    let reading = match &envelope.id {
        Id::Usable(id) => open.reading(id),
        _ => Reading::Typed,
    };
    let read = match fault(envelope) {
        Some(fault) => Err(format!("is no answer of JSON-RPC 2.0: {fault}")),
        None if failed => failure(text).map(Err),
        None => success(text, reading).map(Ok),
    };
    let Id::Usable(id) = &envelope.id else {
        let error = match read {
            Ok(Err(error)) => error,
            Ok(Ok(_)) => faulty("has no `id` that can be read"),
            Err(fault) => faulty(&fault),
        };
        return for_the_only_one(error, text, open);
    };
    match read {
        Ok(Ok(result)) => Line::of(JsonRpcMessage::response(result, id.clone())),
        Ok(Err(error)) => Line::of(JsonRpcMessage::error(error, Some(id.clone()))),
        Err(fault) => for_its_call(id, &fault, open, || excerpt(text.as_bytes())),
    }
}

/// What keeps an object from being an answer, if it is one of its members.
fn fault(envelope: &Envelope<'_>) -> Option<&'static str> {
    if !matches!(&envelope.jsonrpc, Member::Text(version) if version == "2.0") {
        return Some(r#"`jsonrpc` must be "2.0""#);
    }
    let null = |member: &Member<'_>| matches!(member, Member::Null | Member::Absent);
    if !matches!(envelope.method, Member::Absent) {
        return Some("it has a `method` beside `result` or `error`");
    }
    match (&envelope.result, &envelope.error) {
        (Member::Absent, Member::Absent) => Some("it has neither `result` nor `error`"),
        (result, error) if !null(result) && !null(error) => {
            Some("it has both `result` and `error`")
        }
        _ => None,
    }
}

/// Reads a result in one pass, where rmcp's reader would go over all kinds of messages first.
fn success(text: &str, reading: Reading) -> Result<ServerResult, String> {
    #[derive(Deserialize)]
    struct Success<R> {
        result: R,
    }
    let read = match reading {
        Reading::Typed => serde_json::from_str::<Success<ServerResult>>(text).map(|r| r.result),
        Reading::AsItIs => serde_json::from_str::<Success<Value>>(text)
            .map(|read| ServerResult::CustomResult(CustomResult(read.result))),
    };
    read.map_err(|error| unreadable(text, &error))
}

fn failure(text: &str) -> Result<ErrorData, String> {
    #[derive(Deserialize)]
    struct Failure {
        error: Value,
    }
    let read = serde_json::from_str::<Failure>(text).map_err(|error| unreadable(text, &error))?;
    ErrorData::deserialize(&read.error).map_err(|fault| {
        let said = excerpt(read.error.to_string().as_bytes());
        format!("is an error of a shape that JSON-RPC does not have ({fault}): {said}")
    })
}

/// A fault in an answer is told to whoever waits for the answer.
fn for_its_call(
    id: &RequestId,
    fault: &str,
    open: &Open,
    excerpt: impl FnOnce() -> String,
) -> Line {
    match open.own(id) {
        Some(id) => Line::of(JsonRpcMessage::error(faulty(fault), Some(id))),
        None => {
            Line::Noise(format!("an answer that nobody waits for, and {fault}").into(), excerpt())
        }
    }
}

/// An error that names no request is meant for the one that is open.
fn for_the_only_one(error: ErrorData, text: &str, open: &Open) -> Line {
    match open.only() {
        Some(id) => Line::of(JsonRpcMessage::error(error, Some(id))),
        None => {
            let fault = format!("an answer without a usable id: {}", error.message);
            Line::Noise(fault.into(), excerpt(text.as_bytes()))
        }
    }
}

/// A request of the server, or an error that it gets.
fn request(text: &str, envelope: &Envelope<'_>) -> Line {
    let code = match serde_json::from_str(text) {
        Ok(message) => return Line::of(message),
        Err(error) if error.is_data() => ErrorCode::INVALID_REQUEST,
        Err(_) => ErrorCode::PARSE_ERROR,
    };
    let Id::Usable(id) = &envelope.id else {
        return Line::Noise("a request without a usable id".into(), excerpt(text.as_bytes()));
    };
    let fault = match envelope.fault() {
        Some(fault) => fault.to_owned(),
        None if nesting(text) > MAX_NESTING => {
            format!("the message is nested deeper than {MAX_NESTING} levels")
        }
        None if code == ErrorCode::PARSE_ERROR => "the message is broken JSON".to_owned(),
        None => "`params`, and `_meta` in it, must be objects".to_owned(),
    };
    refused(id.clone(), code, fault)
}

fn notification(text: &str, envelope: &Envelope<'_>) -> Line {
    let read = match envelope.fault() {
        Some(fault) => Err(fault.to_owned()),
        None => serde_json::from_str::<JsonRpcNotification<ServerNotification>>(text)
            .map_err(|error| unreadable(text, &error)),
    };
    match read {
        Ok(read) => Line::of(JsonRpcMessage::Notification(read)),
        Err(fault) => Line::Noise(
            format!("a malformed notification: {fault}").into(),
            excerpt(text.as_bytes()),
        ),
    }
}

/// A line that is no JSON, or of which a part is none.
fn broken(line: &[u8], fault: String, open: &Open) -> Line {
    let outline =
        if line.starts_with(b"{") { Scanner::default().finish(line) } else { Outline::default() };
    by_outline(outline, fault, ErrorCode::PARSE_ERROR, open, || excerpt(line))
}

/// Who has to hear of a line that cannot be read as a whole.
fn by_outline(
    outline: Outline,
    fault: String,
    code: ErrorCode,
    open: &Open,
    excerpt: impl FnOnce() -> String,
) -> Line {
    match outline {
        Outline { id: Id::Usable(id), versioned, method: false, answer } if versioned || answer => {
            for_its_call(&id, &fault, open, excerpt)
        }
        Outline { id: Id::Usable(id), versioned: true, method: true, answer: false } => {
            refused(id, code, format!("the message {fault}"))
        }
        _ => Line::Noise(format!("it {fault}").into(), excerpt()),
    }
}

fn refused(id: RequestId, code: ErrorCode, fault: String) -> Line {
    Line::Refused(Box::new(JsonRpcMessage::error(ErrorData::new(code, fault, None), Some(id))))
}

/// The error of a call whose answer has this fault.
fn faulty(fault: &str) -> ErrorData {
    ErrorData::internal_error(format!("the server's answer {fault}"), None)
}

/// Why `serde_json` cannot read a text.
fn unreadable(text: &str, error: &serde_json::Error) -> String {
    let deepest = nesting(text);
    if deepest > MAX_NESTING {
        return format!("is nested {deepest} levels deep; {MAX_NESTING} are read");
    }
    if error.is_data() {
        format!("is malformed: {error}")
    } else {
        format!("is broken JSON: {error}")
    }
}
