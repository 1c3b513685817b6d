//! The agent loop: calls a model, runs the tools it requests, and calls it again with their results.
//!
//! A run begins with [`generate`](crate::generate()), is configured with [`Generate`] and returns a
//! [`GenerateResponse`]. The other items of this module:
//!
//! | for | see |
//! |---|---|
//! | watching a run | [`GenerateStream`] |
//! | a conversation | [`Chat`] |
//! | human in the loop: approval, forms, resuming later | [`Interrupt`], [`Answer`], [`Approval`], [`resume`](crate::resume) |
//! | tool calls that the program runs itself | [`GenerateResponse::run_tools`], [`Tool::call`](crate::Tool::call), [`ToolInvocation`] |
//! | a run step by step, here or on other machines | [`Generate::start`], [`Run`], [`RunState`] |
//! | progress of tools in a stream | [`ToolProgress`], [`ToolChunk`] |
//! | structured output | [`Generate::extract`], [`Generate::output`], [`Extract`], [`Format`] |
//! | retries if the output does not match | [`Generate::output_retries`], [`Generate::validate`], [`OutputRetry`] |
//! | a run that starts from a prompt | [`prompt`](crate::prompt()), [`Generate::input`], [`PromptRef`] |
//! | an agent as a tool | [`Generate::into_tool`] |
//! | the tools and resources of a run | [`IntoTools`], [`ToolRef`], [`ToolSource`], [`IntoResources`], [`ResourceRef`] |
//! | the documents of a run | [`RetrieverRef`] |
//! | a run as plain data | [`GenerateOptions`] |
//! | usage limits, stop conditions, changes between turns | [`UsageLimit`], [`Generate::stop_on_tool`], [`Turn`] |
//! | code around runs and calls | [`middleware`](crate::middleware) |

#[doc(inline)]
pub use genkit_agent::{
    Approval, CallResult, Chat, ChatTurn, Extract, Generate, GenerateStream, Instance, ModelCall,
    ModelResult, NextStep, OnToolError, OutputCheck, OutputType, OutputVerdict, PromptRef, Run,
    RunCall, RunState, Turn,
};
#[doc(inline)]
pub use genkit_core::{
    Answer, Format, GenerateOptions, GenerateResponse, Instructions, Interrupt, IntoMessages,
    IntoParts, IntoResources, IntoTools, OutputOptions, OutputRetry, ResourceRef, ResourceSource,
    Resume, RetrieverRef, ToolChunk, ToolInvocation, ToolProgress, ToolRef, ToolSource, UsageLimit,
};

#[doc(hidden)]
#[deprecated(note = "renamed to `ModelResult`")]
pub type ModelAnswered = ModelResult;

#[doc(hidden)]
#[deprecated(note = "renamed to `CallResult`")]
pub type CallSettled = CallResult;

#[doc(hidden)]
#[deprecated(note = "renamed to `OutputVerdict`")]
pub type OutputChecked = OutputVerdict;
