//! The errors of lines that are no messages.

use std::str::Utf8Error;

use rmcp::model::ErrorCode;

use crate::mcp::jsonrpc::MAX_NESTING;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("the line is not JSON: it is not UTF-8 ({0})")]
    NotUtf8(Utf8Error),
    #[error("the line is not JSON: {0}")]
    NotJson(serde_json::Error),
    #[error("batches are not accepted: one message on each line")]
    Batch,
    #[error("a message is a JSON object")]
    NoObject,
    #[error("the line is longer than {0} bytes")]
    TooLong(usize),
    #[error("the message is nested deeper than {MAX_NESTING} levels")]
    TooDeep,
    /// A member of the envelope stands there twice.
    #[error("{0}")]
    Duplicate(serde_json::Error),
    /// A member of the envelope is missing or of another type.
    #[error("{0}")]
    Member(&'static str),
    #[error("`result` or `error` is malformed")]
    Answer,
    #[error("`params`, and `_meta` in it, must be objects")]
    Params,
}

impl Error {
    pub(super) fn code(&self) -> ErrorCode {
        match self {
            Self::NotUtf8(_) | Self::NotJson(_) => ErrorCode::PARSE_ERROR,
            Self::Params => ErrorCode::INVALID_PARAMS,
            _ => ErrorCode::INVALID_REQUEST,
        }
    }
}
