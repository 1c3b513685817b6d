//! The error messages of runs.

use std::time::Duration;

use serde_json::{Value, json};

use crate::error::{ErrorKind, Topic};

#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    // Requests.
    #[error("the run has no prompt and no messages; pass a prompt, or call `.messages(..)`")]
    NothingToAsk,
    #[error(
        "the prompt `{prompt}` rendered to an empty list of messages; check its conditions and arguments"
    )]
    EmptyPrompt { prompt: String },
    #[error("`.config(..)` takes an object, not {0}")]
    ConfigNoObject(Value),
    #[error("failed to serialize the settings: {0}")]
    ConfigUnserializable(String),
    #[error("{0}")]
    UnknownPrompt(String),
    #[error("{0}")]
    PromptFiles(String),
    #[error("`.input(..)` needs a prompt; start the run with `genkit::prompt(..)`")]
    InputWithoutPrompt,
    #[error("failed to serialize the prompt input: {0}")]
    InputUnserializable(String),
    #[error("{0}; add it with `.named_middleware(name, ..)` of `Genkit::builder()`")]
    UnknownMiddleware(String),
    #[error("`use` takes names or `{{\"name\": .., \"config\": ..}}`, not `{0}`")]
    MiddlewareShape(Value),
    #[error("the middleware `{0}` takes no settings; remove its `config`")]
    MiddlewareTakesNoConfig(String),
    #[error("invalid settings for the middleware `{name}`: {why}")]
    MiddlewareConfig { name: String, why: String },
    #[error(
        "the request offers {count} tools, but the limit is {most}; select some, as in \
         `.tools([\"server/name\"])`, or restrict the servers with `only` and `except`"
    )]
    TooManyTools { count: usize, most: usize },
    #[error("`.tool_choice(..)` needs tools; add `.tools(..)`")]
    ToolChoiceWithoutTools,
    #[error("`.tool_choice(..)` names a tool that is not among `.tools(..)`: {0}")]
    ChosenToolNotOffered(String),
    #[error("the setting `{name}` is `{value}`; it must be {must_be}")]
    Setting { name: &'static str, value: String, must_be: &'static str },
    #[error("the model `{model}` does not support {lacking}")]
    Unsupported { model: String, lacking: &'static str },
    #[error("the model `{model}` has no version `{version}`; available versions: {}", .known.join(", "))]
    UnknownVersion { model: String, version: String, known: Vec<String> },
    #[error(
        "the media type of a file is unknown, because its server does not report one; set the media type on the part"
    )]
    UnknownMediaType,

    #[error("the agent `{name}` was interrupted {rounds} times without finishing")]
    AgentAsksOn { name: String, rounds: usize },

    // Tools and resources.
    #[error("{0}")]
    UnknownTool(String),
    #[error("no registered tool matches `{0}`")]
    NoMatchingTool(String),
    #[error("no registered tool has the tag `{0}`")]
    UnknownTag(String),
    #[error("{0} and {1} have the same name, so the model could call only one of them; rename one")]
    SameToolName(String, String),
    #[error(
        "failed to find matching resource for URI `{0}`; pass it to `.resources(..)`, or link the \
         crate that defines it"
    )]
    ResourceNotFound(String),
    /// The name and a suggestion.
    #[error("{0}")]
    UnknownRetriever(String),
    #[error("the result of the retriever `{name}` is not a list of documents: {why}")]
    RetrievedNoDocuments { name: String, why: String },
    #[error(
        "the MCP servers `{server}` and `{other}` both offer the resource `{uri}`; pass the resources of \
         one server to `.resources(..)`, as in `host.resources().only([\"{server}/*\"])`"
    )]
    ResourceOfTwo { uri: String, server: String, other: String },

    #[error("a call to `{called}` was passed to the tool `{tool}`")]
    OtherTool { called: String, tool: String },
    #[error("the model has not finished this tool request; wait until the stream ends")]
    PartialCall,
    #[error(
        "the call is interrupted and has no response yet; answer its `.interrupts(..)`, and continue \
         with `.resume(..)`"
    )]
    CallInterrupted,
    #[error("no model is available for the tool's sampling request: {0}")]
    NothingToSample(String),
    #[error("failed to read a chunk of the tool `{name}`: {why}")]
    ToolChunk { name: String, why: String },

    // Structured output.
    #[error("unknown output format `{0}`; expected `text`, `json`, `array`, `enum` or `jsonl`")]
    UnknownFormat(String),
    #[error("the output format `{format}` needs {expected}")]
    OutputSchema { format: &'static str, expected: &'static str },
    #[error("the response should be {expected}, but it contains {found}: {quoted:?}")]
    UnreadableOutput { expected: &'static str, found: &'static str, quoted: String },
    #[error("the output does not match the type: {why}; {shown}")]
    OutputType { why: String, shown: String },
    #[error(
        "the response was cut off at the token limit; raise `.max_output_tokens(..)`, or request less output"
    )]
    OutputCutOff,
    #[error("the output was rejected{}: {why}{shown}", after_retries(*.retries))]
    OutputRejected { why: String, retries: usize, shown: String },
    #[error(
        "the run waits for answers, so there is no value to extract yet; answer the `.interrupts()` of \
         `error.into_partial()`, and call `.resume(..)` before `.extract()`"
    )]
    ExtractInterrupted,
    #[error(
        "the model requested tools, which `.return_tool_requests(true)` leaves to the program; \
         `error.into_partial()` holds the `.tool_requests()`"
    )]
    ExtractWithCalls,

    // Runs.
    #[error("the run was cancelled")]
    Cancelled,
    #[error("the run did not end within its deadline of {0:?}")]
    Deadline(Duration),
    #[error("the model `{model}` did not respond within {limit:?}")]
    ModelTimeout { model: String, limit: Duration },
    #[error("the response was blocked: {0}")]
    Blocked(String),
    #[error("the model responded without a message")]
    MissingMessage,
    #[error(
        "the run reached the limit of {0} tool rounds, and the model requested more; raise the limit with \
         `.max_turns(..)`, or continue with `.messages(response.messages())`"
    )]
    MaxTurns(usize),
    #[error(
        "the run used {used} {}, but its limit is {limit}; raise the limit with `.usage_limit(..)`, or continue \
         from the partial response", limit_name(.what)
    )]
    UsageLimit { what: &'static str, used: u64, limit: u64 },
    #[error("`.stop_on_tool(..)` names a tool that the run does not have: {0}")]
    StopsOnUnknownTool(String),
    #[error("`.before_turn(..)` offers a tool that the run does not have: {0}")]
    TurnWithoutTool(String),
    #[error(
        "`{0}` is a declared tool without an implementation; answer the call with `respond(..)`, \
         `respond_as::<{0}>(..)` or `decline()`"
    )]
    RestartedDeclared(String),
    #[error("the tool `{0}` is not offered now; use one of the offered tools")]
    ToolWithheld(String),
    #[error("the model requested {calls} tool calls at once; the limit is {allowed}")]
    TooManyCalls { calls: usize, allowed: usize },
    #[error("this call was not allowed: {0}")]
    CallDenied(String),
    #[error("`{0}` was cancelled")]
    CallCancelled(String),
    #[error("the tool `{name}` failed")]
    ToolFailed { name: String, kind: ErrorKind },
    #[error("the run failed, and its error was already returned")]
    AlreadyFailed,
    #[error("the run is not finished; perform the step that `.next()` returns")]
    RunNotFinished,
    #[error("the run has no open questions")]
    NothingAsked,
    #[error("the question is already answered or no longer open")]
    AnsweredBefore,
    #[error(
        "the run cannot be resumed by names alone: {}. Register these with `Genkit::builder()`, or call \
         `.resume_run(state)` on a request that supplies them", .0.join("; ")
    )]
    CannotResume(Vec<String>),

    // Interrupts and resuming.
    #[error("the last turn waits for answers; call `.resume(..)` first")]
    WaitsForAnswers,
    #[error(
        "the run cannot be resumed, because its last message is not a model message with tool requests; pass \
         `.messages(response.messages())` of the interrupted response"
    )]
    NothingToResume,
    #[error(
        "this run was suspended with schema version {stored}, but this program supports {known}; resume \
         it with the version of the program that suspended it"
    )]
    SuspendedVersion { stored: String, known: u32 },
    #[error("failed to read a suspended call: {0}")]
    SuspendedCall(String),
    #[error("failed to read the content of a finished call: {0}")]
    PendingContent(String),
    #[error("every open call must be answered to resume; unanswered: {}", .0.join(", "))]
    Unanswered(Vec<String>),
    #[error(
        "two open calls to `{0}` have the same `ref`, so an answer is ambiguous; give each its own `ref`"
    )]
    SameReference(String),
    #[error("`resume` takes tool responses under `respond` and tool requests under `restart`")]
    ResumeContent,
    #[error("no open call `{0}`; answer the interrupts of the response that you resume")]
    UnknownCall(String),
    #[error("the answer for `{name}` cannot be used: {why}")]
    InvalidAnswer { name: String, why: String },
    #[error("the arguments given for `{name}` do not match its schema: {why}")]
    GivenArguments { name: String, why: String },
    #[error(
        "the run waits for the tool `{name}`, which the request does not offer; add it with `.tools(..)`. {unknown}"
    )]
    ResumedWithoutTool { name: String, unknown: String },
    #[error(
        "tools cannot be called here, because the generate loop is not linked; enable genkit's `generate` feature"
    )]
    GenerateNotLinked,
    #[error("the response given for `{name}` does not match its output schema: {why}")]
    AnswerSchema { name: String, why: String },
}

/// Describes the number of retries.
fn after_retries(retries: usize) -> String {
    match retries {
        0 => String::new(),
        1 => " after one retry".to_owned(),
        _ => format!(" after {retries} retries"),
    }
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::UnknownTool(_)
            | Self::UnknownPrompt(_)
            | Self::UnknownMiddleware(_)
            | Self::NoMatchingTool(_)
            | Self::UnknownTag(_)
            | Self::StopsOnUnknownTool(_)
            | Self::TurnWithoutTool(_)
            | Self::UnknownRetriever(_)
            | Self::ResourceNotFound(_) => ErrorKind::NotFound,
            Self::ResourceOfTwo { .. } => ErrorKind::FailedPrecondition,
            Self::Blocked(_)
            | Self::MissingMessage
            | Self::WaitsForAnswers
            | Self::RunNotFinished
            | Self::NothingAsked
            | Self::CannotResume(_)
            | Self::NothingToResume
            | Self::GenerateNotLinked
            | Self::PartialCall
            | Self::CallInterrupted
            | Self::ExtractInterrupted
            | Self::ExtractWithCalls
            | Self::NothingToSample(_)
            | Self::SuspendedVersion { .. } => ErrorKind::FailedPrecondition,
            Self::Cancelled | Self::CallCancelled(_) => ErrorKind::Cancelled,
            Self::Deadline(_) | Self::ModelTimeout { .. } => ErrorKind::DeadlineExceeded,
            Self::MaxTurns(_) | Self::AlreadyFailed | Self::AgentAsksOn { .. } => {
                ErrorKind::Aborted
            }
            Self::ToolWithheld(_) => ErrorKind::FailedPrecondition,
            Self::TooManyCalls { .. } | Self::UsageLimit { .. } => ErrorKind::ResourceExhausted,
            Self::CallDenied(_) => ErrorKind::PermissionDenied,
            Self::ToolFailed { kind, .. } => *kind,
            _ => ErrorKind::InvalidArgument,
        }
    }

    fn details(&self) -> Option<Value> {
        let Self::UsageLimit { what, used, limit } = self else { return None };
        Some(json!({ "usageLimit": { "of": what, "used": used, "limit": limit } }))
    }
}

/// Returns the display name for the key of a limit.
fn limit_name(what: &str) -> &str {
    match what {
        "inputTokens" => "input tokens",
        "outputTokens" => "output tokens",
        "requests" => "model calls",
        other => other,
    }
}
