//! Errors of an AG-UI server at startup, and of rejected requests.

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;
use genkit_flows::internal::Rejection;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("the sealing key has {0} bytes; use at least {1} random bytes")]
    ShortKey(usize, usize),
    #[error("no agent is served at this path")]
    PathNotFound,
    #[error("the body is not a `RunAgentInput`: {0}")]
    InvalidInput(String),
    #[error("`{field}` has {found} {unit}; the limit is {limit}")]
    TooMuch { field: &'static str, found: usize, unit: &'static str, limit: usize },
    #[error("`{0}` is not a valid tool name; use up to 64 letters, digits, `_` and `-`")]
    ToolName(String),
    #[error("duplicate tool name `{0}` in `tools`")]
    DuplicateTool(String),
    #[error("the parameters of the tool `{0}` are not a JSON Schema object")]
    ToolSchema(String),
    #[error("a user message has a content part that is not supported: {0}")]
    Content(String),
    #[error("`messages` has no user message to respond to")]
    NothingAsked,
    #[error("the interrupt `{0}` is not open in this thread")]
    UnknownInterrupt(String),
    #[error("`resume` has more than one entry for the same interrupt")]
    AnsweredTwice,
    #[error(
        "`messages` ends with a new message, so `resume` can only cancel interrupts; answer them without a message"
    )]
    MessageAndAnswer,
    #[error(
        "the interrupt or call `{0}` has no answer; send an answer for each open interrupt and each pending tool call"
    )]
    Unanswered(String),
    #[error(
        "the page does not execute the tool `{0}`, so its calls must be answered with `resume`; if the page executes it, add \
         it to `.page_tools([\"{0}\"])` of the server or to the `tools` of the request"
    )]
    NotOfPage(String),
    #[error("the payload for an approval must be an object such as `{{\"approved\": true}}`")]
    ApprovalPayload,
    #[error("this run was already resumed; start a new one")]
    AlreadyResumed,
    #[error("the interrupt has expired; send a new message")]
    Expired,
    #[error("too many interrupts of this client were answered in the last hour; try again later")]
    LedgerFull,
    #[error("the server is shutting down")]
    ShuttingDown,
    #[error("the run did not finish within {0:?}")]
    Overdue(std::time::Duration),
    #[error("the agent failed unexpectedly")]
    Panicked,
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::PathNotFound => ErrorKind::NotFound,
            Self::Overdue(_) => ErrorKind::DeadlineExceeded,
            Self::LedgerFull => ErrorKind::ResourceExhausted,
            Self::ShuttingDown => ErrorKind::Unavailable,
            Self::AlreadyResumed
            | Self::Unanswered(_)
            | Self::NotOfPage(_)
            | Self::Expired
            | Self::UnknownInterrupt(_) => ErrorKind::FailedPrecondition,
            Self::Panicked => ErrorKind::Internal,
            _ => ErrorKind::InvalidArgument,
        }
    }
}

impl From<Error> for Rejection {
    fn from(error: Error) -> Self {
        Self::from_server_error(&error, None)
    }
}
