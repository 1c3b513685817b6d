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

#[doc(inline)]
pub use genkit_agent::{
    Approval, CallSettled, Chat, ChatTurn, Extract, Generate, GenerateStream, ModelAnswered,
    ModelCall, NextStep, OnToolError, OutputCheck, OutputChecked, PromptRef, Run, RunCall,
    RunState, Turn,
};
#[doc(inline)]
pub use genkit_core::{
    Answer, Format, GenerateOptions, GenerateResponse, Instructions, Interrupt, IntoMessages,
    IntoParts, IntoResources, IntoTools, OutputOptions, OutputRetry, ResourceRef, ResourceSource,
    Resume, ToolChunk, ToolInvocation, ToolProgress, ToolRef, ToolSource, UsageLimit,
};
