//! Actions: tools, prompts, resources and flows as values, created by the macros or at run time.
//!
//! Every annotated function is an action. [`Tool::of`] and `tools!` return it as a value. Create an
//! action that is only known at run time with a builder:
//!
//! ```
//! use genkit::Tool;
//! use serde_json::{Value, json};
//!
//! let tool = Tool::builder("shout", "Says it loudly.")
//!     .input_schema(json!({"type": "object", "properties": {"text": {"type": "string"}}}))
//!     .handler(|_, input: Value| async move {
//!         Ok(input["text"].as_str().unwrap_or_default().to_uppercase())
//!     });
//! assert_eq!(tool.name(), "shout");
//! ```
//!
//! | kind | annotated | at run time | return type |
//! |---|---|---|---|
//! | [`Tool`] | [`#[tool]`](macro@tool) | [`Tool::builder`] | [`IntoOutput`]: data, [`Part`](crate::message::Part)s, a [`ToolReply`] of both |
//! | [`Prompt`] | [`#[prompt]`](macro@prompt) | [`Prompt::builder`] | [`IntoPrompt`]: messages, a [`PromptReply`] |
//! | [`Resource`] | [`#[resource]`](macro@resource) | [`Resource::builder`] | [`IntoContents`]: text, bytes, [`ResourceContents`] |
//! | [`Flow`] | [`#[flow]`](macro@flow) | – | any data |

mod call;
mod completion;
mod custom;
mod definition;
mod error;
mod failure;
mod flow;
mod handler_error;
mod info;
mod invocation;
mod linked;
mod prompt;
mod resource;
mod tool;

pub(crate) use call::Requirement;
pub use custom::{CustomAction, RetrieverFn};
pub use error::Error;
pub use failure::{failure_for_model, without_schema};
pub use genkit_uri_template::MAX_URI_BYTES;
pub use genkit_uri_template::UriTemplate;
pub(crate) use info::Info;
pub use linked::Linked;
pub use prompt::Earlier;
pub use prompt::{LoadedPrompts, StaticPromptFiles, embedded_prompts, load_prompts_in};
pub use resource::ContentsBody;
pub use resource::resource_for_span;
pub use tool::ToolOutput;
pub use tool::approval_text;

pub use call::{Chunks, CollectedChunks};
pub use completion::{CompleteRequest, IntoSuggestions};
pub use flow::{Flow, FlowFn};
pub use handler_error::{HandlerError, HandlerInput, HandlerResult};
pub use info::SourceLocation;
pub use invocation::Invocation;
pub use linked::AnnotatedFn;
pub use prompt::{
    IntoPrompt, Prompt, PromptArgument, PromptBuilder, PromptFn, PromptOptions, PromptReply,
    PromptTool,
};
pub use resource::{APP_EXTENSION, APP_MIME_TYPE};
pub use resource::{
    AppPage, IntoContents, Resource, ResourceBuilder, ResourceContents, ResourceFn,
};
pub use tool::{
    DeclaredFn, IntoOutput, Tool, ToolAnnotations, ToolBuilder, ToolFn, ToolReply, ToolRetry,
    ToolTask,
};

/// The constructors that expansions call; hidden behind `__private`.
#[allow(missing_docs, reason = "hidden")]
pub mod expansion {
    pub use super::call::{
        Argument, ArgumentType, ChunkItem, Field, Function, Inject, InjectNothing, InjectState,
        Injectable, Input, NotDisplayed, Note, Shown, TypedInput, TypedInputFallback, calling,
        extension, json, take,
    };
    pub use super::completion::{complete, suggest_values};
    pub use super::flow::StaticFlow;
    pub use super::info::StaticInfo;
    pub use super::linked::Linked;
    pub use super::prompt::{PromptOptions, PromptOutput, PromptTool, StaticPrompt, into_config};
    pub use super::prompt::{StaticPromptFiles, written_schema};
    pub use super::resource::{AppPage, ResourceOutput, StaticResource};
    pub use super::tool::{
        Describable, Described, IntoError, Returned, ReturnedValue, Returns, ReturnsNothing,
        ReturnsSchema, ReturnsValue, SchemaType, SchemaValue, StaticTool, ToolOutput,
        wait_for_response,
    };
    pub use genkit_schema::internal::OutputSchema;
}
