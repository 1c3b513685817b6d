//! Errors of requests: arguments, results, input that a server requires.

use std::time::Duration;

use crate::limits::{MAX_IN_FLIGHT, MAX_ROUNDS, MAX_SERVER_REQUESTS};
use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("the arguments of the {what} `{name}` must be an object, and {given} was given")]
    Arguments { what: &'static str, name: String, given: &'static str },
    #[error("the arguments of the {what} `{name}` do not serialize to JSON: {source}")]
    Unserializable { what: &'static str, name: String, source: serde_json::Error },
    #[error("the configuration of `{server}` leaves the tool `{tool}` out")]
    LeftOut { server: String, tool: String },
    #[error(
        "the tool `{tool}` of `{server}` is another than it was, and held back: `.accept_tool(..)` of its \
         client accepts it as it is"
    )]
    HeldBack { server: String, tool: String },
    // The texts from here on follow the name of the server.
    #[error("has {MAX_IN_FLIGHT} requests in flight already, and answers none of them soon enough")]
    Busy,
    #[error("answered `{0}` with something else")]
    OtherResult(&'static str),
    #[error(
        "answered `{target}` with a result of the type {kind}, which is unknown here: `complete` and \
         `input_required` are known, and `task` of tools"
    )]
    UnknownResultType { target: String, kind: String },
    #[error("sent a blob that is no base64")]
    Blob(#[source] base64::DecodeError),
    #[error("answered `{0}` with questions {MAX_ROUNDS} times")]
    TooManyRounds(String),
    #[error("answers for another task than that of `{0}`")]
    OtherTask(String),
    #[error("has ended the task of `{0}`, which somebody cancelled")]
    TaskCancelled(String),
    #[error("has not ended the task of `{0}` within {1:?}")]
    EndlessTask(String, Duration),
    #[error("asks {0} things at once; {MAX_SERVER_REQUESTS} are answered")]
    TooManyInputs(usize),
    #[error("asks back about `{0}`, a method that has no room for answers")]
    CannotAnswer(String),
    #[error("asks the model, and {0}")]
    Sampling(String),
    #[error("asks for `{0}`, which is unknown")]
    UnknownInput(String),
    #[error("asks in a way that cannot be read: {0}")]
    UnreadableInput(serde_json::Error),
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Arguments { .. } | Self::Unserializable { .. } => ErrorKind::InvalidArgument,
            Self::LeftOut { .. } | Self::HeldBack { .. } | Self::Sampling(_) => {
                ErrorKind::PermissionDenied
            }
            Self::OtherResult(_) | Self::Blob(_) | Self::UnreadableInput(_) => ErrorKind::Internal,
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
