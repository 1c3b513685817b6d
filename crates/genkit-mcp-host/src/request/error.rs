//! Errors of requests: arguments, results, and input that a server requires.

use std::time::Duration;

use crate::limits::{MAX_IN_FLIGHT, MAX_ROUNDS, MAX_SERVER_REQUESTS};
use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("the arguments of the {what} `{name}` must be an object, not {given}")]
    Arguments { what: &'static str, name: String, given: &'static str },
    #[error("cannot serialize the arguments of the {what} `{name}`: {source}")]
    Unserializable { what: &'static str, name: String, source: serde_json::Error },
    #[error("the configuration of `{server}` excludes the tool `{tool}`")]
    NotOffered { server: String, tool: String },
    #[error(
        "the definition of the tool `{tool}` of `{server}` changed, so the tool is held back; accept it with \
         `McpClient::accept_tool`"
    )]
    HeldBack { server: String, tool: String },
    // The messages from here on are prefixed with the name of the server.
    #[error("has {MAX_IN_FLIGHT} requests in flight already, and responds too slowly")]
    Busy,
    #[error("returned an invalid result for `{0}`")]
    OtherResult(&'static str),
    #[error(
        "returned a result for `tools/call` with neither `content` nor `structuredContent`: {0}"
    )]
    OtherToolResult(String),
    #[error(
        "returned a result of the unknown type {kind} for `{target}`; known types are `complete` and \
         `input_required`, and `task` for tools"
    )]
    UnknownResultType { target: String, kind: String },
    #[error("sent a blob that is not valid base64")]
    Blob(#[source] base64::DecodeError),
    #[error("responded to `{0}` with questions {MAX_ROUNDS} times")]
    TooManyRounds(String),
    #[error("returned a different task than `{0}`")]
    OtherTask(String),
    #[error("reported that the task of `{0}` was cancelled")]
    TaskCancelled(String),
    #[error("did not finish the task of `{0}` within {1:?}")]
    EndlessTask(String, Duration),
    #[error("sent {0} questions at once, but the limit is {MAX_SERVER_REQUESTS}")]
    TooManyInputs(usize),
    #[error("sent questions about `{0}`, whose method does not accept answers")]
    CannotAnswer(String),
    #[error("requested sampling, which failed: {0}")]
    Sampling(String),
    #[error("requires input of the unknown type `{0}`")]
    UnknownInput(String),
    #[error("sent an invalid input request: {0}")]
    UnreadableInput(serde_json::Error),
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Arguments { .. } | Self::Unserializable { .. } => ErrorKind::InvalidArgument,
            Self::NotOffered { .. } | Self::HeldBack { .. } | Self::Sampling(_) => {
                ErrorKind::PermissionDenied
            }
            Self::OtherResult(_)
            | Self::OtherToolResult(_)
            | Self::Blob(_)
            | Self::UnreadableInput(_) => ErrorKind::Internal,
            Self::TaskCancelled(_) => ErrorKind::Cancelled,
            Self::EndlessTask(..) => ErrorKind::DeadlineExceeded,
            Self::OtherTask(_) => ErrorKind::Internal,
            Self::TooManyRounds(_) => ErrorKind::Aborted,
            Self::TooManyInputs(_) | Self::Busy => ErrorKind::ResourceExhausted,
            Self::UnknownInput(_) | Self::CannotAnswer(_) | Self::UnknownResultType { .. } => {
                ErrorKind::Unimplemented
            }
        }
    }
}
