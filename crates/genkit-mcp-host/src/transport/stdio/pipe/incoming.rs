//! Parsing of a server's lines, and the handling of lines that are not messages.

use rmcp::model::{
    ClientJsonRpcMessage, CustomResult, ErrorCode, ErrorData, JsonRpcMessage, JsonRpcNotification,
    RequestId, ServerJsonRpcMessage, ServerNotification, ServerResult,
};
use serde::Deserialize;
use serde_json::Value;

use super::error::Error;
use super::open_requests::{OpenRequests, ResultFormat};
use super::stray_output::excerpt_of_line;
use genkit_core::internal::bounded_json::check_numbers;
use genkit_mcp::internal::jsonrpc::{
    Envelope, Id, MAX_NESTING, MAX_VALUES, Member, Outline, Scanner, has_more_values, nesting,
};
use genkit_schema::internal::repair_json;

/// The outcome of a line.
#[derive(Debug)]
pub(crate) enum LineOutcome {
    /// A message for rmcp.
    Message(Box<ServerJsonRpcMessage>),
    /// An error for the server, because its request cannot be read.
    Refused(Box<ClientJsonRpcMessage>),
    /// An ignored line: the reason, and an excerpt.
    Stray(Error, String),
}

impl LineOutcome {
    fn from_message(message: ServerJsonRpcMessage) -> Self {
        Self::Message(Box::new(message))
    }
}

/// Reads one line that is not blank.
pub(crate) fn read(line: &[u8], open: &OpenRequests) -> LineOutcome {
    if has_more_values(line, MAX_VALUES) {
        return read_broken_line(line, Error::TooManyValues, open);
    }
    let text = match std::str::from_utf8(line) {
        Ok(text) => text,
        Err(error) => match repaired_line(line) {
            Some(repaired) => return read(repaired.as_bytes(), open),
            None => return read_broken_line(line, Error::NotUtf8(error), open),
        },
    };
    if !text.starts_with('{') {
        let error = if text.starts_with('[') { Error::NotObject } else { Error::NoJson };
        return LineOutcome::Stray(error, excerpt_of_line(line));
    }
    let envelope = match serde_json::from_str::<Envelope<'_>>(text) {
        Ok(envelope) => envelope,
        Err(error) => match repaired_line(line) {
            Some(repaired) => return read(repaired.as_bytes(), open),
            None => return read_broken_line(line, Error::from_json(text, error), open),
        },
    };
    // Do not check the numbers in list results, which are limits in schemas.
    let is_typed = matches!(&envelope.id, Id::Usable(id) if open.result_format(id) == ResultFormat::Typed)
        && !matches!(envelope.method, Member::Text(_));
    if let Err(changed) = check_numbers(line)
        && !is_typed
    {
        return read_broken_line(line, Error::ChangedNumber(changed), open);
    }
    match message_shape(&envelope) {
        MessageShape::Response | MessageShape::Error => read_response(text, &envelope, open),
        MessageShape::Request => read_request(text, &envelope),
        MessageShape::Notification => read_notification(text, &envelope),
        MessageShape::None => LineOutcome::Stray(Error::MissingMessage, excerpt_of_line(line)),
    }
}

/// Returns the repaired line if it is nearly valid JSON.
fn repaired_line(line: &[u8]) -> Option<String> {
    repair_json(line).filter(|text| serde_json::from_str::<Envelope<'_>>(text).is_ok())
}

/// Handles a line above the limit, of which only the outline is known.
pub(crate) fn handle_long_line(
    outline: Outline,
    bytes: u64,
    limit: usize,
    open: &OpenRequests,
) -> LineOutcome {
    let error = Error::TooLong { bytes, limit };
    report_by_outline(outline, error, ErrorCode::INVALID_REQUEST, open, String::new)
}

/// The kind of a message, by the members of its object.
#[derive(Clone, Copy, PartialEq)]
enum MessageShape {
    Response,
    Error,
    Request,
    Notification,
    None,
}

fn message_shape(envelope: &Envelope<'_>) -> MessageShape {
    let there = |member: &Member<'_>| !matches!(member, Member::Absent);
    let null = |member: &Member<'_>| matches!(member, Member::Null);
    match (there(&envelope.method), there(&envelope.result), there(&envelope.error)) {
        // Some servers send `"error": null` in addition to a result.
        (_, true, true) if null(&envelope.error) => MessageShape::Response,
        (_, _, true) => MessageShape::Error,
        (_, true, false) => MessageShape::Response,
        // Servers also log JSON objects with an `id` or a `method`.
        (_, false, false) if !there(&envelope.jsonrpc) => MessageShape::None,
        (true, ..) if envelope.id == Id::Absent => MessageShape::Notification,
        (true, ..) => MessageShape::Request,
        (false, ..) if envelope.id == Id::Absent => MessageShape::None,
        (false, ..) => MessageShape::Response,
    }
}

/// Reads a response, or creates an error for the call that waits for it.
fn read_response(text: &str, envelope: &Envelope<'_>, open: &OpenRequests) -> LineOutcome {
    let is_error = message_shape(envelope) == MessageShape::Error;
    let format = match &envelope.id {
        Id::Usable(id) => open.result_format(id),
        _ => ResultFormat::Typed,
    };
    let read = match response_error(envelope) {
        Some(fault) => Err(Error::NoResponse(fault)),
        None if is_error => error_data(text).map(Err),
        None => read_result(text, format).map(Ok),
    };
    let Id::Usable(id) = &envelope.id else {
        let error = match read {
            Ok(Err(error)) => error,
            Ok(Ok(_)) => Error::NoId.for_caller(),
            Err(error) => error.for_caller(),
        };
        return assign_to_only_request(error, text, open);
    };
    match read {
        Ok(Ok(result)) => LineOutcome::from_message(JsonRpcMessage::response(result, id.clone())),
        Ok(Err(error)) => LineOutcome::from_message(JsonRpcMessage::error(error, Some(id.clone()))),
        Err(error) => fail_call(id, error, open, || excerpt_of_line(text.as_bytes())),
    }
}

/// Returns the reason why an object is not a response, judged by its members.
fn response_error(envelope: &Envelope<'_>) -> Option<&'static str> {
    if !matches!(&envelope.jsonrpc, Member::Text(version) if version == "2.0") {
        return Some(r#"`jsonrpc` must be "2.0""#);
    }
    let null = |member: &Member<'_>| matches!(member, Member::Null | Member::Absent);
    if !matches!(envelope.method, Member::Absent) {
        return Some("it has a `method` in addition to `result` or `error`");
    }
    match (&envelope.result, &envelope.error) {
        (Member::Absent, Member::Absent) => Some("it has neither `result` nor `error`"),
        (result, error) if !null(result) && !null(error) => {
            Some("it has both `result` and `error`")
        }
        _ => None,
    }
}

/// Reads a result in one pass; rmcp's reader would first try all kinds of messages.
fn read_result(text: &str, format: ResultFormat) -> Result<ServerResult, Error> {
    #[derive(Deserialize)]
    struct ResultLine<R> {
        result: R,
    }
    let read = match format {
        ResultFormat::Typed => serde_json::from_str(text).map(|read: ResultLine<_>| read.result),
        ResultFormat::Untyped => serde_json::from_str(text)
            .map(|read: ResultLine<_>| ServerResult::CustomResult(CustomResult(read.result))),
    };
    read.map_err(|error| Error::from_json(text, error))
}

fn error_data(text: &str) -> Result<ErrorData, Error> {
    #[derive(Deserialize)]
    struct ErrorLine {
        error: Value,
    }
    let ErrorLine { error } =
        serde_json::from_str(text).map_err(|error| Error::from_json(text, error))?;
    ErrorData::deserialize(&error).map_err(|fault| {
        let excerpt = excerpt_of_line(error.to_string().as_bytes());
        Error::NoErrorObject { fault, excerpt }
    })
}

/// Reports an unreadable response to the call that waits for it.
fn fail_call(
    id: &RequestId,
    error: Error,
    open: &OpenRequests,
    excerpt: impl FnOnce() -> String,
) -> LineOutcome {
    match open.own_id(id) {
        Some(id) => LineOutcome::from_message(JsonRpcMessage::error(error.for_caller(), Some(id))),
        None => LineOutcome::Stray(Error::Unexpected(Box::new(error)), excerpt()),
    }
}

/// Assigns an error without a request id to the open request if there is only one.
fn assign_to_only_request(error: ErrorData, text: &str, open: &OpenRequests) -> LineOutcome {
    match open.only_request() {
        Some(id) => LineOutcome::from_message(JsonRpcMessage::error(error, Some(id))),
        None => {
            let error = Error::Uncorrelated(error.message.into_owned());
            LineOutcome::Stray(error, excerpt_of_line(text.as_bytes()))
        }
    }
}

/// Reads a request from the server, or creates the error response to it.
fn read_request(text: &str, envelope: &Envelope<'_>) -> LineOutcome {
    let code = match serde_json::from_str(text) {
        Ok(message) => return LineOutcome::from_message(message),
        Err(error) if error.is_data() => ErrorCode::INVALID_REQUEST,
        Err(_) => ErrorCode::PARSE_ERROR,
    };
    let Id::Usable(id) = &envelope.id else {
        return LineOutcome::Stray(Error::RequestWithoutId, excerpt_of_line(text.as_bytes()));
    };
    let fault = match envelope.find_problem() {
        Some(fault) => fault.to_owned(),
        None if nesting(text) > MAX_NESTING => Error::RequestTooDeep.to_string(),
        None if code == ErrorCode::PARSE_ERROR => Error::BrokenRequest.to_string(),
        None => Error::RequestParams.to_string(),
    };
    refuse_request(id.clone(), code, fault)
}

fn read_notification(text: &str, envelope: &Envelope<'_>) -> LineOutcome {
    let read = match envelope.find_problem() {
        Some(fault) => Err(fault.to_owned()),
        None => serde_json::from_str::<JsonRpcNotification<ServerNotification>>(text)
            .map_err(|error| Error::from_json(text, error).to_string()),
    };
    match read {
        Ok(read) => LineOutcome::from_message(JsonRpcMessage::Notification(read)),
        Err(fault) => {
            LineOutcome::Stray(Error::Notification(fault), excerpt_of_line(text.as_bytes()))
        }
    }
}

/// Handles a line that is not JSON, or is only partly valid.
fn read_broken_line(line: &[u8], error: Error, open: &OpenRequests) -> LineOutcome {
    let outline =
        if line.starts_with(b"{") { Scanner::default().finish(line) } else { Outline::default() };
    report_by_outline(outline, error, ErrorCode::PARSE_ERROR, open, || excerpt_of_line(line))
}

/// Reports a line that cannot be read to the caller or to the server.
fn report_by_outline(
    outline: Outline,
    error: Error,
    code: ErrorCode,
    open: &OpenRequests,
    excerpt: impl FnOnce() -> String,
) -> LineOutcome {
    match outline {
        Outline { id: Id::Usable(id), versioned, method: false, answer } if versioned || answer => {
            fail_call(&id, error, open, excerpt)
        }
        Outline { id: Id::Usable(id), versioned: true, method: true, answer: false } => {
            refuse_request(id, code, format!("the message {error}"))
        }
        _ => LineOutcome::Stray(Error::Unreadable(Box::new(error)), excerpt()),
    }
}

fn refuse_request(id: RequestId, code: ErrorCode, fault: String) -> LineOutcome {
    let refusal = JsonRpcMessage::error(ErrorData::new(code, fault, None), Some(id));
    LineOutcome::Refused(Box::new(refusal))
}
