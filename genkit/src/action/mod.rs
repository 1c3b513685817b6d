//! What a macro registers: tools, prompts, resources and flows, their definitions and handlers.

mod args;
mod completion;
mod definition;
mod failure;
mod flow;
mod handler;
mod info;
mod input;
mod lent;
mod output;
mod prompt;
mod resource;
mod tool;

pub(crate) use args::Strictness;
#[cfg(feature = "inventory")]
pub(crate) use definition::Linked;
pub(crate) use failure::failure_for_model;
#[cfg(feature = "mcp-host")]
pub(crate) use genkit_uri_template::{MAX_URI_BYTES, UriTemplate};
pub(crate) use lent::Requirement;
pub(crate) use output::ToolOutput;
pub(crate) use resource::Body;
#[cfg(any(feature = "mcp-server", feature = "mcp-host"))]
pub(crate) use resource::not_found;

pub use completion::{Completion, IntoSuggestions};
pub use definition::{FlowFn, PromptFn, ResourceFn, ToolFn};
pub use flow::Flow;
pub(crate) use info::Info;
pub use info::Location;
pub use lent::Chunks;
pub use output::{IntoOutput, Reply};
pub use prompt::{IntoPrompt, Prompt, PromptArgument, PromptBuilder, PromptReply};
pub use resource::{Contents, IntoContents, Resource, ResourceBuilder};
pub use tool::{Hints, Tool, ToolBuilder};

/// The constructors that expansions call; hidden behind `__private`.
#[allow(missing_docs, reason = "hidden")]
pub mod expansion {
    pub use super::completion::{Suggesting, complete, suggest};
    pub use super::definition::{
        Described, FlowDefinition, Function, Linked, PromptDefinition, ResourceDefinition,
        ToolDefinition,
    };
    pub use super::handler::Calling;
    pub use super::input::{Arguments, Input, InputFallback, NoInput};
    pub use super::lent::{ChunkItem, Lend, LendNothing, LendState, Requirement, State};
    pub use super::output::{
        Failure, Returned, ReturnedValue, Returns, ReturnsNothing, ReturnsSchema, ReturnsValue,
        ToolOutput,
    };
    pub use super::prompt::PromptOutput;
    pub use super::resource::ResourceOutput;
}
