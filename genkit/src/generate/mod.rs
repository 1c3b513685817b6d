//! Generating: a model is asked, its tool calls are run, and it is asked again with their answers.
//!
//! [`generate`](crate::generate()) begins, [`Generate`] has the options, [`GenerateResponse`] is
//! what comes back. What else is here:
//!
//! | for | see |
//! |---|---|
//! | watching a run | [`GenerateStream`] |
//! | a conversation | [`Chat`] |
//! | human in the loop: approval, forms, going on later | [`Interrupt`], [`Answer`], [`Approval`], [`resume`](crate::resume) |
//! | tool calls that the program runs itself | [`GenerateResponse::run_tools`], [`Tool::call`](crate::Tool::call), [`ToolInvocation`] |
//! | a run step by step, here or on other machines | [`Generate::start`], [`Run`], [`RunState`] |
//! | progress of tools in a stream | [`ToolProgress`], [`ToolChunk`] |
//! | structured output | [`Generate::extract`], [`Generate::output`], [`Extract`], [`Format`] |
//! | output that does not fit goes back to the model | [`Generate::output_retries`], [`Generate::validate`], [`OutputRetry`] |
//! | a run that begins with a prompt | [`prompt`](crate::prompt()), [`Generate::input`], [`PromptRef`] |
//! | an agent as a tool | [`Generate::into_tool`] |
//! | what tools and resources a run has | [`IntoTools`], [`ToolRef`], [`ToolSource`], [`IntoResources`], [`ResourceRef`] |
//! | a run as plain data | [`GenerateOptions`] |
//! | what a run may use, where it ends, what changes from turn to turn | [`UsageLimit`], [`Generate::stop_on_tool`], [`Turn`] |
//! | code around runs and calls | [`middleware`](crate::middleware) |

mod builder;
#[cfg(feature = "dev-tools")]
mod call_model;
mod call_tool;
mod chat;
mod data;
mod error;
mod extract;
mod format;
pub(crate) mod interrupt;
mod into_tool;
pub(crate) mod middleware;
mod prepare;
mod prompt;
mod request;
mod resume;
mod run;
mod run_tools;
mod steps;
mod stream;
mod tools;

pub use builder::Generate;
#[cfg(feature = "dev-tools")]
pub(crate) use call_model::call_model;
pub use call_tool::ToolInvocation;
pub use chat::{Chat, ChatTurn};
pub use data::{
    GenerateOptions, GenerateResponse, Instructions, IntoMessages, IntoParts, OutputOptions,
    OutputRetry, ToolChunk, ToolProgress, Turn, UsageLimit,
};
pub use extract::Extract;
pub use format::Format;
pub use interrupt::{Answer, Interrupt, Resume};
pub use prompt::PromptRef;
pub use run::{
    Approval, CallSettled, ModelAnswered, ModelCall, NextStep, OnToolError, OutputCheck,
    OutputChecked, Run, RunCall, RunState,
};
pub use stream::GenerateStream;
pub use tools::{IntoResources, IntoTools, ResourceRef, ResourceSource, ToolRef, ToolSource};
#[cfg(feature = "dev-tools")]
pub(crate) use tools::{resource_part, tool_definition};
