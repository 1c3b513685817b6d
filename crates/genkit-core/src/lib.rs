//! The parts of genkit that every other crate uses: errors, messages, the context of a call, actions (tools, prompts,
//! resources, flows), the registry, and tracing.

#![allow(
    missing_docs,
    reason = "items that `genkit` re-exports are documented, which a test of `genkit` checks; the rest is internal to the workspace"
)]

mod action;
mod blocking;
mod bound_registry;
mod context;
mod disclosure;
mod environment;
mod error;
mod future;
mod generate;
mod glob;
#[doc(hidden)]
pub mod internal;
mod message;
mod model;
mod names;
mod registry;
mod run_options;
pub mod run_store;
#[cfg(feature = "signal")]
mod shutdown;
mod skill;
mod status;
mod sync;
mod telemetry;
mod template;
mod time;
mod trace;

pub use action::{
    AnnotatedFn, AppPage, Chunks, CollectedChunks, CompleteRequest, DeclaredFn, Flow, FlowFn,
    HandlerError, HandlerInput, HandlerResult, IntoContents, IntoOutput, IntoPrompt,
    IntoSuggestions, Invocation, Prompt, PromptArgument, PromptBuilder, PromptFn, PromptOptions,
    PromptReply, PromptTool, Resource, ResourceBuilder, ResourceContents, ResourceFn, RetrieverFn,
    SourceLocation, Tool, ToolAnnotations, ToolBuilder, ToolFn, ToolReply, ToolRetry, ToolTask,
};
pub use context::testing::{AskedKind, AskedQuestion, Reports, TestContext, TestContextBuilder};
pub use context::{
    ClientInfo, Context, Elicit, ElicitForm, ElicitUrl, Elicited, LogLevel, Progress, Root, Roots,
    Sample, SampleRequest, Sampled,
};
pub use error::{Error, ErrorContext, ErrorKind, Result};
pub use future::BoxFuture;
pub use generate::data::GenerateOptions;
pub use generate::data::GenerateResponse;
pub use generate::data::IntoMessages;
pub use generate::data::IntoParts;
pub use generate::data::OutputRetry;
pub use generate::data::{ToolChunk, ToolProgress};
pub use generate::interrupt::Resume;
pub use generate::interrupt::{Answer, Interrupt};
pub use generate::{
    IntoResources, IntoTools, ResourceRef, ResourceSource, RetrieverRef, ToolRef, ToolSource,
};
pub use generate::{ToolCall, ToolInvocation, ToolOutcome};
pub use message::{
    Annotations, Media, Message, Part, ResourcePart, Role, ToolRequest, ToolResponse,
};
pub use model::{FinishReason, GenerateChunk, ModelResponse, Usage};
pub use model::{ModelRequest, OutputConfig, ToolDefinition};
pub use registry::Registry;
pub use registry::{Action, IntoActions};
pub use run_options::Document;
pub use run_options::Effort;
pub use run_options::Format;
pub use run_options::ToolChoice;
pub use run_options::UsageLimit;
pub use run_options::{Instructions, OutputOptions};
pub use run_store::RunId;
pub use run_store::{
    LeaseEnd, LeaseTime, RunChange, RunEntry, RunFilter, RunHead, RunStatus, RunStore, StoredRun,
};
pub use skill::{OfferedSkill, SkillSource};
pub use skill::{Skill, SkillFile};
pub use telemetry::{Metric, MetricKind, Telemetry, TraceContext, install};
pub use template::TemplateCall;
