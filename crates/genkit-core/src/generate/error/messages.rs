//! The error messages of generating, all in one list.

use std::time::Duration;

use serde_json::{Value, json};

use crate::error::{ErrorKind, Topic};

#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    // What is asked.
    #[error("there is nothing to ask: give a prompt or `.messages(..)`")]
    NothingToAsk,
    #[error("`.config(..)` takes an object, not {0}")]
    ConfigNoObject(Value),
    #[error("the settings do not serialize: {0}")]
    ConfigUnserializable(String),
    #[error("{0}")]
    UnknownPrompt(String),
    #[cfg(feature = "dotprompt")]
    #[error("{0}")]
    PromptFiles(String),
    #[error("`.input(..)` is what a prompt is given: begin with `genkit::prompt(..)`")]
    InputWithoutPrompt,
    #[error("the input of the prompt does not serialize: {0}")]
    InputUnserializable(String),
    #[error("{0}; `.named_middleware(name, ..)` of `Genkit::builder()` adds one")]
    UnknownMiddleware(String),
    #[error("`use` takes names, or `{{\"name\": .., \"config\": ..}}`, not {0}")]
    MiddlewareShape(Value),
    #[error("the middleware `{0}` takes no settings")]
    MiddlewareTakesNoConfig(String),
    #[error("the settings of the middleware `{name}` do not fit: {why}")]
    MiddlewareConfig { name: String, why: String },
    #[error(
        "the request offers {count} tools, and {most} are the most: choose some of them, such as \
         `.tools([\"server/name\"])`, or let the servers list fewer with `only` and `except`"
    )]
    TooManyTools { count: usize, most: usize },
    #[error("`.tool_choice(..)` needs tools: add `.tools(..)`")]
    ToolChoiceWithoutTools,
    #[error("`.tool_choice(..)` names a tool that is not among `.tools(..)`: {0}")]
    ChosenToolNotOffered(String),
    #[error("the setting `{name}` is {value}, and must be {must_be}")]
    Setting { name: &'static str, value: String, must_be: &'static str },
    #[error("the model `{model}` does not support {lacking}")]
    Unsupported { model: String, lacking: &'static str },
    #[error("the model `{model}` has no version `{version}`; it has: {}", .known.join(", "))]
    NoVersion { model: String, version: String, known: Vec<String> },
    #[error(
        "the media type of a file is not known, and its server does not tell: give it with the part"
    )]
    UnknownMediaType,

    #[error("the agent `{name}` asked in {rounds} rounds, and is not done")]
    AgentAsksOn { name: String, rounds: usize },

    // Tools and resources.
    #[error("{0}")]
    UnknownTool(String),
    #[error("no tool of the registry fits `{0}`")]
    NoToolFits(String),
    #[error("no tool of the registry has the tag `{0}`")]
    NoToolTagged(String),
    #[error("{0} and {1} have one name, and the model could reach only one of them: rename one")]
    SameToolName(String, String),
    #[error(
        "failed to find matching resource for URI `{0}`: give it to `.resources(..)`, or link the \
         crate that defines it"
    )]
    NoResource(String),
    #[error(
        "the MCP servers `{server}` and `{other}` both offer the resource `{uri}`: give `.resources(..)` \
         those of one, as in `host.resources().only([\"{server}/*\"])`"
    )]
    ResourceOfTwo { uri: String, server: String, other: String },

    #[error("a call of `{called}` was given to the tool `{tool}`")]
    OtherTool { called: String, tool: String },
    #[error("a request that the model is still writing is never run: wait for its last chunk")]
    PartialCall,
    #[error(
        "the call asks something, and has no answer yet: show its `.interrupts(..)` to whoever \
         knows, and go on with `.resume(..)`"
    )]
    CallAsks,
    #[error("there is no model for the tool to sample from: {0}")]
    NothingToSample(String),
    #[error("a chunk of `{name}` is of another type: {why}")]
    ToolChunk { name: String, why: String },

    // Structured output.
    #[error("there is no output format `{0}`; there are text, json, array, enum, jsonl")]
    UnknownFormat(String),
    #[error("for the output format `{format}` the schema must be {expected}")]
    OutputSchema { format: &'static str, expected: &'static str },
    #[error("the answer should be {expected}, and has {found}: {quoted:?}")]
    UnreadableOutput { expected: &'static str, found: &'static str, quoted: String },
    #[error("the answer does not fit the type: {why}; {shown}")]
    OutputType { why: String, shown: String },
    #[error(
        "the answer was cut off at the limit of tokens: raise `.max_output_tokens(..)`, or ask for less"
    )]
    OutputCutOff,
    #[error("the answer does not fit{}: {why}{shown}", after(*.retries))]
    OutputRefused { why: String, retries: usize, shown: String },
    #[error(
        "the run waits for answers, and has nothing to extract yet: `error.into_partial()` has its \
         `.interrupts()`, and `.resume(..)` before `.extract()` goes on"
    )]
    ExtractInterrupted,
    #[error(
        "the model asks for tools, which `.return_tool_requests(true)` leaves to the program: \
         `error.into_partial()` has its `.tool_requests()`"
    )]
    ExtractWithCalls,

    // A run.
    #[error("the run was cancelled")]
    Cancelled,
    #[error("the run did not end within its deadline of {0:?}")]
    Deadline(Duration),
    #[error("the model `{model}` did not answer within {limit:?}")]
    ModelTimeout { model: String, limit: Duration },
    #[error("the answer was blocked: {0}")]
    Blocked(String),
    #[error("the model answered without a message")]
    NoMessage,
    #[error(
        "the limit of {0} tool rounds was reached, and the model asks for more: raise it with \
         `.max_turns(..)`, or go on from `.messages(response.messages())`"
    )]
    MaxTurns(usize),
    #[error(
        "the run used {used} {}, and its limit is {limit}: raise it with `.usage_limit(..)`, or go on from \
         what was done", spelled(.what)
    )]
    UsageLimit { what: &'static str, used: u64, limit: u64 },
    #[error("`.stop_on_tool(..)` names a tool that the run does not have: {0}")]
    StopsOnUnknownTool(String),
    #[error("`.before_turn(..)` offers a tool that the run does not have: {0}")]
    TurnWithoutTool(String),
    #[error("the tool `{0}` is not offered now: answer with those that are")]
    ToolWithheld(String),
    #[error("the model asks for {calls} calls at once; {allowed} are allowed")]
    TooManyCalls { calls: usize, allowed: usize },
    #[error("this call was not allowed: {0}")]
    CallDenied(String),
    #[error("`{0}` was cancelled")]
    CallCancelled(String),
    #[error("the tool `{name}` failed")]
    ToolFailed { name: String, kind: ErrorKind },
    #[error("the run failed, and its error was read before")]
    AlreadyFailed,
    #[error("the run is not over: perform what `.next()` says first")]
    NotOver,
    #[error("the run asks nothing now")]
    NothingAsked,
    #[error("this question has its answer already, or is asked no more")]
    AnsweredBefore,
    #[error(
        "the run cannot go on by names alone: {}. Register them with `Genkit::builder()`, or go on with \
         `.resume_run(state)` of a request that has them", .0.join("; ")
    )]
    CannotResume(Vec<String>),

    // Interrupts, and how a run goes on from them.
    #[error("the last turn waits for answers: call `.resume(..)` first")]
    WaitsForAnswers,
    #[error(
        "only a run whose last message is the model's and asks for tools can be resumed: give \
         `.messages(response.messages())` of the interrupted response"
    )]
    NothingToResume,
    #[error(
        "this run was suspended with the schema {stored}, and this program reads {known}: resume \
         it with the version of the program that suspended it"
    )]
    SuspendedVersion { stored: String, known: u32 },
    #[error("a suspended call does not read: {0}")]
    SuspendedCall(String),
    #[error("the content of a finished call does not read: {0}")]
    PendingContent(String),
    #[error("every open call must be answered to resume, and these are not: {}", .0.join(", "))]
    Unanswered(Vec<String>),
    #[error(
        "two open calls of `{0}` have one `ref`, and an answer could mean either: give each its own"
    )]
    SameReference(String),
    #[error("`resume` takes tool responses under `respond` and tool requests under `restart`")]
    NoAnswer,
    #[error("there is no open call {0}: answer the interrupts of the response that is resumed")]
    NoOpenCall(String),
    #[error("the answer for `{name}` does not serialize: {why}")]
    AnswerUnserializable { name: String, why: String },
    #[error("the arguments given for `{name}` do not fit: {why}")]
    GivenArguments { name: String, why: String },
    #[error("the run waits for `{name}`, which is not among its tools: name it again. {unknown}")]
    ResumedWithoutTool { name: String, unknown: String },
    #[error(
        "a tool cannot be called here, because no crate with the generate loop is linked; turn on the feature `generate` of genkit"
    )]
    NoRunner,
    #[error("the answer for `{name}`: {why}")]
    AnswerSchema { name: String, why: String },
}

/// How often the model was asked again.
fn after(retries: usize) -> String {
    match retries {
        0 => String::new(),
        1 => ", after one retry".to_owned(),
        _ => format!(", after {retries} retries"),
    }
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::UnknownTool(_)
            | Self::UnknownPrompt(_)
            | Self::UnknownMiddleware(_)
            | Self::NoToolFits(_)
            | Self::NoToolTagged(_)
            | Self::StopsOnUnknownTool(_)
            | Self::TurnWithoutTool(_)
            | Self::NoResource(_) => ErrorKind::NotFound,
            Self::ResourceOfTwo { .. } => ErrorKind::FailedPrecondition,
            Self::Blocked(_)
            | Self::NoMessage
            | Self::WaitsForAnswers
            | Self::NotOver
            | Self::NothingAsked
            | Self::CannotResume(_)
            | Self::NothingToResume
            | Self::NoRunner
            | Self::PartialCall
            | Self::CallAsks
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

/// A limit's key, in words.
fn spelled(what: &str) -> &str {
    match what {
        "inputTokens" => "tokens of requests",
        "outputTokens" => "tokens of answers",
        "requests" => "model calls",
        other => other,
    }
}
