//! The errors of a pipe: what is wrong with a line of a server.

use rmcp::model::ErrorData;

use genkit_mcp::internal::jsonrpc::{MAX_NESTING, MAX_VALUES, nesting};

/// The text goes on from `the server's answer` or `the message`, where no comment says otherwise.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("is not UTF-8 ({0})")]
    NotUtf8(std::str::Utf8Error),
    #[error("is {bytes} bytes long; {limit} are read: raise `.max_message(..)` or ask for less")]
    TooLong { bytes: u64, limit: usize },
    #[error("has more than {MAX_VALUES} values: ask for less")]
    TooManyValues,
    #[error("is nested {0} levels deep; {MAX_NESTING} are read")]
    TooDeep(usize),
    #[error("is broken JSON: {0}")]
    BrokenJson(serde_json::Error),
    #[error("is malformed: {0}")]
    Malformed(serde_json::Error),
    #[error("has no `id` that can be read")]
    NoId,
    #[error("is an error of a shape that JSON-RPC does not have ({fault}): {excerpt}")]
    NoErrorObject { fault: serde_json::Error, excerpt: String },
    #[error("is no answer of JSON-RPC 2.0: {0}")]
    NoResponse(&'static str),

    #[error("the server does not read its input: {0} bytes wait for it already")]
    InputFull(usize),

    // Of a request that is refused.
    #[error("the message is nested deeper than {MAX_NESTING} levels")]
    RequestTooDeep,
    #[error("the message is broken JSON")]
    BrokenRequest,
    #[error("`params`, and `_meta` in it, must be objects")]
    RequestParams,

    // Of a line that is passed over.
    #[error("no JSON")]
    NoJson,
    #[error("no JSON object")]
    NoObject,
    #[error("no JSON-RPC message")]
    NoMessage,
    #[error("it {0}")]
    Unreadable(Box<Error>),
    #[error("a request without a usable id")]
    RequestWithoutId,
    #[error("a malformed notification: {0}")]
    Notification(String),
    #[error("an answer that nobody waits for, and {0}")]
    Unexpected(Box<Error>),
    #[error("an answer without a usable id: {0}")]
    Uncorrelated(String),
}

impl Error {
    /// Why `serde_json` cannot read a text.
    pub(crate) fn of_json(text: &str, error: serde_json::Error) -> Self {
        match nesting(text) {
            deepest if deepest > MAX_NESTING => Self::TooDeep(deepest),
            _ if error.is_data() => Self::Malformed(error),
            _ => Self::BrokenJson(error),
        }
    }

    /// The error of a call whose answer this is about.
    pub(crate) fn for_caller(&self) -> ErrorData {
        ErrorData::internal_error(format!("the server's answer {self}"), None)
    }
}
