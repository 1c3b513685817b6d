//! Errors of a server: configuration, limits, questions to the client, and invalid requests.

use std::time::Duration;

use rmcp::model::{ErrorCode, ErrorData};
use serde_json::{Value, json};

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;
use genkit_mcp::internal::error_status;

/// The JSON-RPC error code of a rejected request, from the range for server-defined codes.
pub(crate) const REFUSED: ErrorCode = ErrorCode(-32000);

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(
        "there is nothing to serve: no `#[tool]`, `#[prompt]` or `#[resource]` is linked into this \
         program; if another crate defines them, import it with `use my_tools as _;`; without the feature \
         `inventory`, add them with `Registry::new().add(tools![..])`"
    )]
    NothingLinked,
    #[error("missing environment variables: {names}; set them before starting the server")]
    MissingVariables { names: String },
    #[error(
        "`{name}` is not a valid variable name; use letters, digits and `_`, such as `NOTES_TOKEN`"
    )]
    VariableName { name: String },
    #[error(
        "there is nothing to serve: no tool, prompt or resource is visible to clients; check the filters `tagged`, \
         `only` and `except`. Declared tools, flows and retrievers are not served over MCP (`Retriever::into_tool` \
         returns a tool)"
    )]
    AllFiltered,
    #[error(
        "the name `{0}` is reserved by `.tool_search()`; rename the tool, for example with `#[tool(name = \"..\")]`"
    )]
    ReservedToolName(&'static str),
    /// Contains the problem and its position, but no part of a key.
    #[error("{0}")]
    SealingKeys(String),
    #[error(
        "`{0}` is not a valid header name for `.client_address_from(..)`; use a name such as `x-forwarded-for`"
    )]
    HeaderName(String),
    #[error(
        "`{0}` is not a valid path for `.health(..)`; use a path such as `/health`, with letters, digits and `-_./`, \
         that is not the server's own path"
    )]
    HealthPath(String),
    #[error("`ProtectedResource::new(\"{resource}\")`: {why}")]
    ProtectedResource { resource: String, why: &'static str },
    #[error("`.protected_resource(..)` requires a token verifier; add `.authenticate(..)`")]
    NothingVerifies,
    #[error(
        "a byte stream has no access tokens, so `.authenticate(..)` cannot identify its client; add \
         `.extension(Principal::new(..))`"
    )]
    StreamWithoutToken,
    #[error("the task that serves the client failed")]
    LoopEnded { source: tokio::task::JoinError },

    #[error("{0} requests are already running; try again in a moment")]
    TooManyRunning(usize),
    #[error("more than {0} requests in one second; slow down")]
    TooManyPerSecond(u32),
    #[error(
        "{0} requests from this client are already running, which is the limit for one client; try again in a moment"
    )]
    TooManyClientRequests(usize),
    #[error("{held} requests to the server `{server}` are already running; try again in a moment")]
    UpstreamBusy { server: String, held: usize },
    #[error("{0} questions to clients are already open; try again in a moment")]
    TooManyQuestions(usize),
    #[error("{0} questions to this client are already open; it must answer some of them first")]
    TooManyClientQuestions(usize),
    #[error("the question was not answered and was dropped to make room for newer ones")]
    QuestionGaveWay,
    #[error("{0} streams are already open; try again later")]
    TooManyStreams(usize),
    #[error("{0} streams of this client are already open; close one of them first")]
    TooManyClientStreams(usize),
    #[error("this client has reached its memory limit; close a subscription or a session first")]
    TooMuchKept,
    #[error("a client can subscribe to at most {0} resources")]
    TooManySubscriptions(usize),
    #[error("a URI must be at most {0} bytes long")]
    LongUri(usize),
    #[error("the parameters of `initialize` must be at most {0} bytes long")]
    LongInitialize(usize),
    #[error("a request with this id is already running; use another id")]
    IdInUse,
    #[error(
        "the result of `{name}` is {size} bytes long, but the limit is {limit}; request less, \
         for example with a filter or a smaller page"
    )]
    OutputTooLarge { name: String, size: usize, limit: usize },

    #[error(
        "a middleware returned a result for `{tool}` that does not match its output schema: {why}"
    )]
    MiddlewareAnswer { tool: String, why: String },

    #[error("cannot serialize the session")]
    SessionUnserializable { source: serde_json::Error },
    #[error("cannot store the session, because other instances keep changing it")]
    SessionContended,
    #[error("cannot serialize the record of this call")]
    StateUnserializable { source: serde_json::Error },
    #[error(
        "the saved state of this call is {size} bytes long, but the limit is {limit}; store less with `once` and \
         keep answers small"
    )]
    StateTooLarge { size: usize, limit: usize },
    #[error(
        "Invalid requestState: it was modified, has expired, was already used, or belongs to another request; \
         call again without it"
    )]
    InvalidState,
    #[error("this client can answer questions only while the function runs")]
    NotSealed,

    #[error(
        "this question cannot be sent to a client, because a message contains a resource, a link or an \
         unsupported type of file; use text, images and audio"
    )]
    UnsendablePart,
    #[error("this question cannot be sent to a client: {0}")]
    Unsendable(serde_json::Error),
    #[error("the client did not answer a question within {0:?}")]
    AnswerTimedOut(Duration),
    #[error("the client rejected the question: {0}")]
    QuestionRefused(String),
    #[error("the client's answer is not valid: {0}")]
    InvalidAnswer(String),
    #[error("the client has disconnected")]
    ClientGone,
    #[error("the request was cancelled")]
    RequestCancelled,

    #[error("Unknown task: no task has this id, or it has expired")]
    UnknownTask,
    #[error(
        "the answers are {size} bytes long, but the limit is {limit}; send fewer or shorter answers"
    )]
    LargeAnswers { size: usize, limit: usize },
    #[error(
        "this client has reached its task limit; wait until some tasks have finished or expired"
    )]
    TooManyTasks,
    #[error("{place}: `{tool}` always runs as a task, which requires genkit's feature `durable`")]
    TasksNeedDurable { tool: String, place: String },

    /// Contains the closest names.
    #[error("{0}")]
    UnknownName(String),
    /// The item exists, but not for this caller, who receives the same error as for an unknown name.
    #[error("{0}")]
    Hidden(Box<Self>),
    #[error("Unknown resource: {0}")]
    UnknownResource(String),
    #[error("Not a directory: {0}")]
    NotADirectory(String),
    #[error("Unknown prompt: {0}")]
    UnknownPrompt(String),
    #[error("Unknown resource template: {0}")]
    UnknownTemplate(String),
    #[error("unknown type of reference: {0}")]
    ReferenceKind(String),
    #[error("the {of} has no argument `{argument}`")]
    NothingToComplete { of: String, argument: String },
    #[error(
        "a completion function cannot ask questions, but the completion function of the {0} did"
    )]
    CompletionAsks(String),
    #[error("cannot serialize the list: {0}")]
    Unwritable(serde_json::Error),
    #[error("Invalid cursor: use `nextCursor` of the previous page")]
    InvalidCursor,
    #[error("prompt `{prompt}` is missing required arguments: {missing}")]
    MissingArguments { prompt: String, missing: String },
    #[error("prompt `{prompt}`: {fault}")]
    PromptArguments { prompt: String, fault: String },
    #[error("Resource not found: {uri}: {fault}")]
    ResourceNotFound { uri: String, fault: String },
}

impl Error {
    /// Returns the reason for a rejection as one word, for the audit log.
    pub(crate) fn reason(&self) -> &'static str {
        match self {
            Self::TooManyRunning(_) => "full",
            Self::TooManyClientRequests(_)
            | Self::TooManyClientQuestions(_)
            | Self::TooManyClientStreams(_) => "share",
            Self::UpstreamBusy { .. } => "upstream",
            Self::TooManyPerSecond(_) => "rate",
            Self::TooManyQuestions(_) => "questions",
            Self::TooManyStreams(_) => "streams",
            Self::TooMuchKept | Self::TooManySubscriptions(_) => "memory",
            Self::LongUri(_) | Self::LongInitialize(_) => "long",
            Self::IdInUse => "id",
            Self::UnknownTask => "unknown",
            Self::TooManyTasks => "tasks",
            Self::Hidden(_) => "permit",
            Self::UnknownName(_)
            | Self::UnknownPrompt(_)
            | Self::UnknownTemplate(_)
            | Self::NotADirectory(_)
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
            Self::MissingVariables { .. } => ErrorKind::FailedPrecondition,
            Self::VariableName { .. } => ErrorKind::InvalidArgument,
            Self::NothingVerifies | Self::StreamWithoutToken => ErrorKind::FailedPrecondition,
            Self::TasksNeedDurable { .. } => ErrorKind::FailedPrecondition,
            Self::TooManyTasks => ErrorKind::ResourceExhausted,
            Self::SessionUnserializable { .. } => ErrorKind::Internal,
            Self::SessionContended => ErrorKind::Aborted,
            Self::ClientGone => ErrorKind::Unavailable,
            Self::TooManyRunning(_)
            | Self::TooManyPerSecond(_)
            | Self::TooManyClientRequests(_)
            | Self::UpstreamBusy { .. }
            | Self::TooManyQuestions(_)
            | Self::TooManyClientQuestions(_)
            | Self::QuestionGaveWay
            | Self::TooManyStreams(_)
            | Self::TooManyClientStreams(_)
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
            Self::Unsendable(_) => ErrorKind::Internal,
            Self::AnswerTimedOut(_) => ErrorKind::DeadlineExceeded,
            Self::QuestionRefused(_) | Self::InvalidAnswer(_) => ErrorKind::Aborted,
            Self::RequestCancelled => ErrorKind::Cancelled,
            Self::ResourceNotFound { .. }
            | Self::UnknownName(_)
            | Self::UnknownPrompt(_)
            | Self::UnknownTemplate(_)
            | Self::UnknownResource(_)
            | Self::NotADirectory(_)
            | Self::UnknownTask => ErrorKind::NotFound,
            Self::Hidden(error) => error.kind(),
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

/// Converts the error of a rejected request to the protocol error for its client.
impl From<Error> for ErrorData {
    fn from(error: Error) -> Self {
        match error {
            Error::TooManyRunning(_)
            | Error::TooManyPerSecond(_)
            | Error::TooManyClientRequests(_)
            | Error::UpstreamBusy { .. }
            | Error::TooManyStreams(_)
            | Error::TooManyClientStreams(_)
            | Error::TooMuchKept => refused_error(&error),
            Error::TooManyTasks => refused_error(&error),
            Error::TooManySubscriptions(_) | Error::LongInitialize(_) | Error::IdInUse => {
                Self::invalid_request(error.to_string(), None)
            }
            error => protocol_error(&error.into()),
        }
    }
}

fn refused_error(error: &Error) -> ErrorData {
    error_status::mark_error(ErrorData::new(REFUSED, error.to_string(), None), error.kind())
}

/// Converts an error to a protocol error. Prompts and resources have no error results, unlike tools.
pub(crate) fn protocol_error(error: &genkit_core::Error) -> ErrorData {
    let code = match error.kind() {
        ErrorKind::InvalidArgument | ErrorKind::OutOfRange => ErrorCode::INVALID_PARAMS,
        ErrorKind::NotFound if error.details().is_some_and(|d| d.get("uri").is_some()) => {
            ErrorCode::RESOURCE_NOT_FOUND
        }
        ErrorKind::NotFound => ErrorCode::INVALID_PARAMS,
        _ => ErrorCode::INTERNAL_ERROR,
    };
    let protocol = ErrorData::new(code, error.chain(), error.details().cloned());
    error_status::mark_error(protocol, error.kind())
}

/// Returns the protocol error if a function failed because its client lacks a capability.
pub(crate) fn missing_capability(error: &genkit_core::Error) -> Option<ErrorData> {
    let details = error.details().filter(|_| error.kind() == ErrorKind::FailedPrecondition)?;
    details.get("requiredCapabilities")?;
    let code = ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY;
    Some(ErrorData::new(code, error.to_string(), Some(details.clone())))
}
