//! The errors of a server: start-up, limits, questions to the client, requests that cannot run.

use std::time::Duration;

use rmcp::model::{ErrorCode, ErrorData};
use serde_json::{Value, json};

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

/// JSON-RPC's code for a request that was not let in: one of a server's own.
pub(crate) const REFUSED: ErrorCode = ErrorCode(-32000);

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(
        "there is nothing to serve: no `#[tool]`, `#[prompt]` or `#[resource]` is linked into this \
         program. A crate that only defines them must be named to be linked: `use my_tools as _;`. \
         Without the feature `inventory`, add them by hand: `Registry::new().add(tools![..])`"
    )]
    NothingLinked,
    #[error(
        "there is nothing to serve: the filters (`tagged`, `only`, `except`) hide every tool, \
         prompt and resource of the registry"
    )]
    AllFiltered,
    /// What is wrong with them, and where; nothing of a key.
    #[error("{0}")]
    SealingKeys(String),
    #[cfg(feature = "http")]
    #[error(
        "`{0}` is no name of a header: `.client_address_from(..)` needs one such as `x-forwarded-for`"
    )]
    HeaderName(String),
    #[cfg(feature = "http")]
    #[error(
        "`{0}` is no path for health: `.health(..)` takes one such as `/health`, of letters, digits and \
         `-_./`, which is not that of the server"
    )]
    HealthPath(String),
    #[cfg(feature = "http")]
    #[error("`ProtectedResource::new(\"{resource}\")`: {why}")]
    ProtectedResource { resource: String, why: &'static str },
    #[cfg(feature = "http")]
    #[error(
        "`.protected_resource(..)` tells clients where they get tokens, and nothing checks these: add \
         `.authenticate(..)`"
    )]
    NothingVerifies,
    #[error("the server's loop ended")]
    LoopEnded { source: tokio::task::JoinError },

    #[error("{0} requests are running already: try again in a moment")]
    TooManyRunning(usize),
    #[error("more than {0} requests in a second: slow down")]
    TooManyPerSecond(u32),
    #[error(
        "{0} requests of this client are running already, which is its share: try again in a moment"
    )]
    ShareOfPlaces(usize),
    #[error("{held} requests to the server `{server}` are running already: try again in a moment")]
    UpstreamBusy { server: String, held: usize },
    #[error("{0} questions to clients are open already: try again in a moment")]
    TooManyQuestions(usize),
    #[error("{0} questions to this client are open already: it must answer some of them first")]
    ShareOfQuestions(usize),
    #[error("the question was left open for long and gave way to those of others")]
    QuestionGaveWay,
    #[error("{0} streams are open already: try again later")]
    TooManyStreams(usize),
    #[error("{0} streams of this client are open already: close one of them first")]
    ShareOfStreams(usize),
    #[error("too much is kept for this client already: end a subscription or a session first")]
    TooMuchKept,
    #[error("a client may subscribe to {0} resources at most")]
    TooManySubscriptions(usize),
    #[error("a URI may have {0} bytes at most")]
    LongUri(usize),
    #[error("the parameters of `initialize` may have {0} bytes at most")]
    LongInitialize(usize),
    #[error("a request with this id is running already: use another")]
    IdInUse,
    #[error(
        "The answer of `{name}` has {size} bytes, more than the limit of {limit}: ask for less, \
         for example with a filter or a smaller page"
    )]
    OutputTooLarge { name: String, size: usize, limit: usize },

    #[error("a middleware answers for `{tool}` with what its output schema does not allow: {why}")]
    MiddlewareAnswer { tool: String, why: String },

    #[cfg(all(feature = "http", feature = "durable"))]
    #[error("a session does not serialize")]
    SessionUnserializable { source: serde_json::Error },
    #[cfg(all(feature = "http", feature = "durable"))]
    #[error("a session cannot be stored: other instances change it all the time")]
    SessionContended,
    #[error("the record of this call does not serialize")]
    StateUnserializable { source: serde_json::Error },
    #[error(
        "the record of this call has {size} bytes, more than {limit}: `once` and answers must \
         stay small"
    )]
    StateTooLarge { size: usize, limit: usize },
    #[error("Invalid requestState: it cannot be used, or not again. Call again without it")]
    InvalidState,
    #[error("this client is asked while the function runs")]
    NotSealed,

    #[error(
        "this question cannot be sent to a client: its model reads text, images and audio, and a \
         message has a resource, a link or a file of another type"
    )]
    UnsendablePart,
    #[cfg(feature = "durable")]
    #[error("this question cannot be sent to a client: {0}")]
    Unsendable(serde_json::Error),
    #[error("the client did not answer a question within {0:?}")]
    NoAnswerInTime(Duration),
    #[error("the client refused the question: {0}")]
    QuestionRefused(String),
    #[error("the client's answer cannot be read: {0}")]
    UnusableAnswer(String),
    #[error("the client is gone")]
    ClientGone,
    #[error("the request was cancelled")]
    RequestCancelled,

    #[cfg(feature = "durable")]
    #[error("Unknown task: there is none of this id, or its time is over")]
    UnknownTask,
    #[cfg(feature = "durable")]
    #[error("the answers have {size} bytes, more than {limit}: give fewer, or shorter ones")]
    LargeAnswers { size: usize, limit: usize },
    #[cfg(feature = "durable")]
    #[error(
        "this server has no room for more tasks of this client: wait until some have ended or their time is over"
    )]
    TooManyTasks,
    #[cfg(not(feature = "durable"))]
    #[error(
        "{place}: `{tool}` is always a task, and a server makes tasks with the feature `durable` of genkit"
    )]
    TasksNeedDurable { tool: String, place: String },

    /// With the closest names.
    #[error("{0}")]
    UnknownName(String),
    /// It is there, and not for this caller, who reads that it is unknown.
    #[error("{0}")]
    Hidden(Box<Self>),
    #[error("Unknown resource: {0}")]
    UnknownResource(String),
    #[error("Not a directory: {0}")]
    NoFolder(String),
    #[error("Unknown prompt: {0}")]
    UnknownPrompt(String),
    #[error("Unknown resource template: {0}")]
    UnknownTemplate(String),
    #[error("unknown kind of reference: {0}")]
    ReferenceKind(String),
    #[error("the {of} has no argument `{argument}`")]
    NothingToComplete { of: String, argument: String },
    #[error("a completion asks nobody, and that of the {0} did")]
    CompletionAsks(String),
    #[error("the list cannot be written: {0}")]
    Unwritable(serde_json::Error),
    #[error("Invalid cursor: use `nextCursor` of the page before")]
    InvalidCursor,
    #[error("prompt `{prompt}` lacks required arguments: {missing}")]
    MissingArguments { prompt: String, missing: String },
    #[error("prompt `{prompt}`: {fault}")]
    PromptArguments { prompt: String, fault: String },
    #[error("Resource not found: {uri}: {fault}")]
    ResourceNotFound { uri: String, fault: String },
}

impl Error {
    /// Why a request is refused, in one word for the audit log.
    pub(crate) fn reason(&self) -> &'static str {
        match self {
            Self::TooManyRunning(_) => "full",
            Self::ShareOfPlaces(_) | Self::ShareOfQuestions(_) | Self::ShareOfStreams(_) => "share",
            Self::UpstreamBusy { .. } => "upstream",
            Self::TooManyPerSecond(_) => "rate",
            Self::TooManyQuestions(_) => "questions",
            Self::TooManyStreams(_) => "streams",
            Self::TooMuchKept | Self::TooManySubscriptions(_) => "memory",
            Self::LongUri(_) | Self::LongInitialize(_) => "long",
            Self::IdInUse => "id",
            #[cfg(feature = "durable")]
            Self::UnknownTask => "unknown",
            #[cfg(feature = "durable")]
            Self::TooManyTasks => "tasks",
            Self::Hidden(_) => "permit",
            Self::UnknownName(_)
            | Self::UnknownPrompt(_)
            | Self::UnknownTemplate(_)
            | Self::NoFolder(_)
            | Self::UnknownResource(_) => "unknown",
            Self::StateTooLarge { .. } | Self::InvalidState => "state",
            _ => "invalid",
        }
    }
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NothingLinked | Self::AllFiltered => ErrorKind::FailedPrecondition,
            #[cfg(feature = "http")]
            Self::NothingVerifies => ErrorKind::FailedPrecondition,
            #[cfg(not(feature = "durable"))]
            Self::TasksNeedDurable { .. } => ErrorKind::FailedPrecondition,
            #[cfg(feature = "durable")]
            Self::TooManyTasks => ErrorKind::ResourceExhausted,
            #[cfg(all(feature = "http", feature = "durable"))]
            Self::SessionUnserializable { .. } => ErrorKind::Internal,
            #[cfg(all(feature = "http", feature = "durable"))]
            Self::SessionContended => ErrorKind::Aborted,
            Self::ClientGone => ErrorKind::Unavailable,
            Self::TooManyRunning(_)
            | Self::TooManyPerSecond(_)
            | Self::ShareOfPlaces(_)
            | Self::UpstreamBusy { .. }
            | Self::TooManyQuestions(_)
            | Self::ShareOfQuestions(_)
            | Self::QuestionGaveWay
            | Self::TooManyStreams(_)
            | Self::ShareOfStreams(_)
            | Self::TooMuchKept
            | Self::TooManySubscriptions(_)
            | Self::OutputTooLarge { .. }
            | Self::StateTooLarge { .. } => ErrorKind::ResourceExhausted,
            Self::LoopEnded { .. }
            | Self::MiddlewareAnswer { .. }
            | Self::StateUnserializable { .. }
            | Self::NotSealed
            | Self::CompletionAsks(_)
            | Self::Unwritable(_)
            | Self::UnsendablePart => ErrorKind::Internal,
            #[cfg(feature = "durable")]
            Self::Unsendable(_) => ErrorKind::Internal,
            Self::NoAnswerInTime(_) => ErrorKind::DeadlineExceeded,
            Self::QuestionRefused(_) | Self::UnusableAnswer(_) => ErrorKind::Aborted,
            Self::RequestCancelled => ErrorKind::Cancelled,
            Self::ResourceNotFound { .. } => ErrorKind::NotFound,
            _ => ErrorKind::InvalidArgument,
        }
    }

    fn details(&self) -> Option<Value> {
        match self {
            Self::ResourceNotFound { uri, .. } => Some(json!({ "uri": uri })),
            _ => None,
        }
    }
}

/// What a client gets where a request cannot run at all.
impl From<Error> for ErrorData {
    fn from(error: Error) -> Self {
        match error {
            Error::TooManyRunning(_)
            | Error::TooManyPerSecond(_)
            | Error::ShareOfPlaces(_)
            | Error::UpstreamBusy { .. }
            | Error::TooManyStreams(_)
            | Error::ShareOfStreams(_)
            | Error::TooMuchKept => refused(&error),
            #[cfg(feature = "durable")]
            Error::TooManyTasks => refused(&error),
            Error::TooManySubscriptions(_) | Error::LongInitialize(_) | Error::IdInUse => {
                Self::invalid_request(error.to_string(), None)
            }
            error => protocol_error(&error.into()),
        }
    }
}

fn refused(error: &Error) -> ErrorData {
    ErrorData::new(REFUSED, error.to_string(), None)
}

/// A failure as a protocol error: for prompts and resources, which have no other.
pub(crate) fn protocol_error(error: &genkit_core::Error) -> ErrorData {
    let code = match error.kind() {
        ErrorKind::InvalidArgument | ErrorKind::OutOfRange => ErrorCode::INVALID_PARAMS,
        ErrorKind::NotFound if error.details().is_some_and(|d| d.get("uri").is_some()) => {
            ErrorCode::RESOURCE_NOT_FOUND
        }
        ErrorKind::NotFound => ErrorCode::INVALID_PARAMS,
        _ => ErrorCode::INTERNAL_ERROR,
    };
    ErrorData::new(code, error.chain(), error.details().cloned())
}

/// The protocol error of a function that ended because its client lacks a capability.
pub(crate) fn missing_capability(error: &genkit_core::Error) -> Option<ErrorData> {
    let details = error.details().filter(|_| error.kind() == ErrorKind::FailedPrecondition)?;
    details.get("requiredCapabilities")?;
    let code = ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY;
    Some(ErrorData::new(code, error.to_string(), Some(details.clone())))
}
