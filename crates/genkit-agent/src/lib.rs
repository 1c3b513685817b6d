//! The agent loop: calls a model, runs the tools it requests, and calls it again with their results.
//!
//! `generate` creates a run, [`Generate`] configures it, and awaiting it returns a
//! `GenerateResponse`. The other items of this module:
//!
//! | for | see |
//! |---|---|
//! | watching a run | [`GenerateStream`] |
//! | a conversation | [`Chat`] |
//! | human in the loop: approval, forms, resuming later | `Interrupt`, `Answer`, [`Approval`], `resume` |
//! | tool calls that the program runs itself | `GenerateResponse::run_tools`, [`Tool::call`](genkit_core::Tool::call), `ToolInvocation` |
//! | a run step by step, here or on other machines | [`Generate::start`], [`Run`], [`RunState`] |
//! | progress of tools in a stream | `ToolProgress`, `ToolChunk` |
//! | structured output | [`Generate::extract`], [`Generate::output`], [`Extract`], `Format` |
//! | retries if the output does not match | [`Generate::output_retries`], [`Generate::validate`], `OutputRetry` |
//! | a run that starts from a prompt | `prompt`, [`Generate::input`], [`PromptRef`] |
//! | an agent as a tool | [`Generate::into_tool`] |
//! | the tools and resources of a run | `IntoTools`, `ToolRef`, `ToolSource`, `IntoResources`, `ResourceRef` |
//! | a run as plain data | `GenerateOptions` |
//! | usage limits, stop conditions, changes between turns | `UsageLimit`, [`Generate::stop_on_tool`], [`Turn`] |
//! | code around runs and calls | `middleware` |

#![allow(
    missing_docs,
    reason = "items that `genkit` re-exports are documented, which a test of `genkit` checks; the rest is internal to the workspace"
)]

mod builder;
mod call_model;
mod call_tool;
mod chat;
mod extract;
mod instance;
#[doc(hidden)]
pub mod internal;
mod into_tool;
pub mod middleware;
mod output_checks;
mod prepare;
mod prompt;
mod prompts_dir;
mod request;
mod resume;
mod run;
mod run_tools;
mod steps;
mod stream;
mod thread;
mod tools;
mod turn;

pub use builder::Generate;
pub use chat::{Chat, ChatTurn};
pub use extract::{Extract, OutputType};
pub use instance::{Instance, InstanceBuilder};
pub use prompt::PromptRef;
pub use run::{
    Approval, CallResult, ModelCall, ModelResult, NextStep, OnToolError, OutputCheck,
    OutputVerdict, Run, RunCall, RunState,
};
pub use stream::GenerateStream;
pub use turn::Turn;
