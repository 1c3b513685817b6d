//! Errors of a pipe: the problem with a line from the server.

use rmcp::model::ErrorData;

use genkit_mcp::internal::jsonrpc::{MAX_NESTING, MAX_VALUES, nesting};

/// The text continues `the server's response` or `the message`, unless a comment states otherwise.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("is not UTF-8 ({0})")]
    NotUtf8(std::str::Utf8Error),
    #[error(
        "is {bytes} bytes long, but the limit is {limit}; raise `.max_message(..)` or request less data"
    )]
    TooLong { bytes: u64, limit: usize },
    #[error("has more than {MAX_VALUES} values; request less data")]
    TooManyValues,
    #[error("was not read: {0}")]
    ChangedNumber(serde_json::Error),
    #[error("is nested {0} levels deep, but the limit is {MAX_NESTING}")]
    TooDeep(usize),
    #[error("is not valid JSON: {0}")]
    BrokenJson(serde_json::Error),
    #[error("is malformed: {0}")]
    Malformed(serde_json::Error),
    #[error("has no usable `id`")]
    NoId,
    #[error("is not a valid JSON-RPC error object ({fault}): {excerpt}")]
    NoErrorObject { fault: serde_json::Error, excerpt: String },
    #[error("is not a JSON-RPC 2.0 response: {0}")]
    NoResponse(&'static str),

    #[error("the server does not read its input; {0} bytes are queued already")]
    InputFull(usize),

    // Reasons to reject a request.
    #[error("the message is nested deeper than {MAX_NESTING} levels")]
    RequestTooDeep,
    #[error("the message is not valid JSON")]
    BrokenRequest,
    #[error("`params` and its `_meta` must be objects")]
    RequestParams,

    // Reasons to ignore a line.
    #[error("not JSON")]
    NoJson,
    #[error("not a JSON object")]
    NotObject,
    #[error("not a JSON-RPC message")]
    MissingMessage,
    #[error("it {0}")]
    Unreadable(Box<Error>),
    #[error("a request without a usable id")]
    RequestWithoutId,
    #[error("a malformed notification: {0}")]
    Notification(String),
    #[error("an invalid response without a pending request: it {0}")]
    Unexpected(Box<Error>),
    #[error("a response without a usable id: {0}")]
    Uncorrelated(String),
}

impl Error {
    /// Creates the error for text that `serde_json` cannot parse.
    pub(crate) fn from_json(text: &str, error: serde_json::Error) -> Self {
        match nesting(text) {
            deepest if deepest > MAX_NESTING => Self::TooDeep(deepest),
            _ if error.is_data() => Self::Malformed(error),
            _ => Self::BrokenJson(error),
        }
    }

    /// Returns the error for the call whose response could not be read.
    pub(crate) fn for_caller(&self) -> ErrorData {
        ErrorData::internal_error(format!("the server's response {self}"), None)
    }
}
