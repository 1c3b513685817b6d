//! Parses one message from bytes, or returns the reason why it is not valid.

use std::borrow::Cow;

use bytes::Bytes;
use rmcp::model::{ErrorCode, ErrorData, RequestId};
use serde::de::IgnoredAny;

use crate::caller::message;
use genkit_mcp::internal::jsonrpc::MAX_VALUES;
use genkit_mcp::internal::jsonrpc::scan;
use genkit_mcp::internal::jsonrpc::scan::{ScanError, parse_string};
use genkit_mcp::internal::jsonrpc::{Id, MAX_ID_BYTES, MAX_NESTING, Outline, Scanner, nesting};

/// A message from a client. Its content is raw JSON, which has been validated.
#[derive(Debug, PartialEq)]
pub(crate) enum Message<'a> {
    Request {
        id: RequestId,
        method: Cow<'a, str>,
        params: Option<&'a str>,
    },
    Notification {
        method: Cow<'a, str>,
        params: Option<&'a str>,
    },
    /// The response to a question from the server, or an error if the response is invalid.
    Response {
        id: RequestId,
        answer: Result<&'a str, ErrorData>,
    },
}

/// The response to bytes that are not a valid message.
#[derive(Debug, PartialEq)]
pub(crate) enum MessageRejection {
    /// Send this error to the client.
    Answer(Bytes),
    /// Log this reason, because the client expects no response.
    Silent(String),
}

/// The reason why bytes are not a valid message.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MessageError {
    #[error("the message is not JSON: it is not UTF-8 ({0})")]
    NotUtf8(std::str::Utf8Error),
    #[error("the message is not JSON: {0}")]
    NotJson(String),
    #[error("batches are not supported; send one message at a time")]
    Batch,
    #[error("the message is not a JSON object")]
    NotObject,
    #[error("the line is longer than {0} bytes")]
    TooLong(usize),
    #[error("the message is nested deeper than {MAX_NESTING} levels")]
    TooDeep,
    #[error("the message has more than {MAX_VALUES} values")]
    TooMany,
    #[error(transparent)]
    Integer(serde_json::Error),
    #[error("duplicate field `{0}`")]
    Duplicate(&'static str),
    #[error(r#"`jsonrpc` must be "2.0""#)]
    Version,
    #[error("`method` is missing")]
    MissingMethod,
    #[error("`method` must be a string")]
    Method,
    #[error("`id` must be a string of at most {MAX_ID_BYTES} bytes or an integer")]
    Id,
    #[error("a request must have neither `result` nor `error`")]
    Both,
    #[error("`result` or `error` is malformed")]
    Answer,
    #[error("`params` and its `_meta` must be objects")]
    Params,
}

impl MessageError {
    fn error_code(&self) -> ErrorCode {
        match self {
            Self::NotUtf8(_) | Self::NotJson(_) => ErrorCode::PARSE_ERROR,
            Self::Params | Self::Integer(_) => ErrorCode::INVALID_PARAMS,
            _ => ErrorCode::INVALID_REQUEST,
        }
    }

    pub(super) fn error_data(&self) -> ErrorData {
        ErrorData::new(self.error_code(), self.to_string(), None)
    }
}

/// Parses one message.
pub(crate) fn read_message(bytes: &[u8]) -> Result<Message<'_>, MessageRejection> {
    let text =
        std::str::from_utf8(bytes).map_err(|e| error_for(None, &MessageError::NotUtf8(e)))?;
    let text = text.trim_ascii();
    if !text.starts_with('{') {
        return Err(error_for(None, &not_object_error(text)));
    }
    let outline = || Scanner::default().finish(text.as_bytes());
    let members = match scan::members(text) {
        Ok(members) => members,
        Err(ScanError::TooDeep) => return reject_message(outline(), &MessageError::TooDeep),
        Err(ScanError::TooMany) => return reject_message(outline(), &MessageError::TooMany),
        Err(ScanError::Duplicate(name)) => {
            let mut outline = outline();
            if name == "id" {
                // It is unknown which of the two ids the client uses.
                outline.id = Id::Unusable;
            }
            return reject_message(outline, &MessageError::Duplicate(name));
        }
        Err(ScanError::NotJson) => return Err(error_for(None, &not_json(text))),
    };
    let id = members.id.map_or(Id::Absent, Id::from_raw);
    let method = members.method.map(|raw| parse_string(raw).ok_or(MessageError::Method));
    let is_answer = members.result.is_some() || members.error.is_some();
    let versioned = members.jsonrpc.and_then(parse_string).is_some_and(|version| version == "2.0");
    let fault = match (&method, &id) {
        _ if !versioned => Some(MessageError::Version),
        (Some(Err(_)), _) => Some(MessageError::Method),
        (_, Id::Unusable) => Some(MessageError::Id),
        (None, _) if !is_answer => Some(MessageError::MissingMethod),
        (Some(Ok(_)), _) if is_answer => Some(MessageError::Both),
        (None, Id::Absent) => Some(MessageError::Answer),
        _ => members.check_numbers().err().map(MessageError::Integer),
    };
    let method = method.and_then(Result::ok);
    if let Some(fault) = fault {
        let (versioned, method) = (members.jsonrpc.is_some(), method.is_some());
        return reject_message(Outline { id, versioned, method, answer: is_answer }, &fault);
    }
    // `null` means no parameters.
    let params = members.params.filter(|raw| *raw != "null");
    match (method, id) {
        (Some(method), Id::Usable(id)) => Ok(Message::Request { id, method, params }),
        (Some(method), _) => Ok(Message::Notification { method, params }),
        (None, Id::Usable(id)) => {
            let answer = match (members.result, members.error) {
                (Some(result), None) => Ok(result),
                (None, Some(error)) => Err(parse_error(error)),
                _ => Err(unusable_answer(&MessageError::Answer)),
            };
            Ok(Message::Response { id, answer })
        }
        (None, _) => Err(MessageRejection::Silent(MessageError::Answer.to_string())),
    }
}

/// Returns the rejection of a message that could not be parsed.
///
/// The client receives the error for a request and, with a null id, for a message of unknown type, but not for a
/// notification. The error in a response is not sent to the client, but to the function that waits for the response:
/// this server chose the id, so the client could mistake it for the id of one of its own requests.
pub(crate) fn reject_message<'a>(
    outline: Outline,
    fault: &MessageError,
) -> Result<Message<'a>, MessageRejection> {
    match (outline.method, outline.id, outline.answer) {
        (false, Id::Usable(id), true) => {
            let message = format!("invalid response: {fault}");
            Ok(Message::Response {
                id,
                answer: Err(ErrorData::new(fault.error_code(), message, None)),
            })
        }
        (false, _, true) | (true, Id::Absent, _) => {
            Err(MessageRejection::Silent(fault.to_string()))
        }
        (_, id, _) => Err(error_for(id.usable(), fault)),
    }
}

fn error_for(id: Option<RequestId>, fault: &MessageError) -> MessageRejection {
    MessageRejection::Answer(message::error_reply(id.as_ref(), &fault.error_data()).bytes)
}

/// Parses the error in a client's response.
fn parse_error(raw: &str) -> ErrorData {
    serde_json::from_str(raw).unwrap_or_else(|_| unusable_answer(&MessageError::Answer))
}

fn unusable_answer(fault: &MessageError) -> ErrorData {
    ErrorData::new(fault.error_code(), format!("invalid response: {fault}"), None)
}

/// Returns the error for JSON that is not an object.
fn not_object_error(text: &str) -> MessageError {
    match serde_json::from_str::<IgnoredAny>(text) {
        Err(error) => MessageError::NotJson(error.to_string()),
        // `serde_json` has no recursion limit for `IgnoredAny`.
        Ok(_) if nesting(text) > MAX_NESTING => {
            MessageError::NotJson("recursion limit exceeded".to_owned())
        }
        Ok(_) if text.starts_with('[') => MessageError::Batch,
        Ok(_) => MessageError::NotObject,
    }
}

fn not_json(text: &str) -> MessageError {
    // A lone surrogate is the only error that `serde_json` ignores here.
    let error = serde_json::from_str::<IgnoredAny>(text).err();
    let error = error.map_or_else(|| "lone surrogate in a string".to_owned(), |e| e.to_string());
    MessageError::NotJson(error)
}
