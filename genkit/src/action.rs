//! Actions: tools, prompts, resources, flows and evaluators as values, created by the macros or at run time.
//!
//! Every annotated function is an action. Functions such as [`Tool::of`] and macros such as [`tools!`](crate::tools)
//! return it as a value. Create an action that is only known at run time with a builder:
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
//! | [`Tool`] | [`#[tool]`](macro@crate::tool) | [`Tool::builder`] | [`IntoOutput`]: data, [`Part`](crate::Part)s, a [`ToolReply`] of both |
//! | [`Prompt`] | [`#[prompt]`](macro@crate::prompt) | [`Prompt::builder`] | [`IntoPrompt`]: messages, a [`PromptReply`] |
//! | [`Resource`] | [`#[resource]`](macro@crate::resource) | [`Resource::builder`] | [`IntoContents`]: text, bytes, [`ResourceContents`] |
//! | [`Flow`] | [`#[flow]`](macro@crate::flow) | – | any data |

#[doc(inline)]
pub use genkit_core::{
    AnnotatedFn, AppPage, Chunks, CollectedChunks, CompleteRequest, DeclaredFn, Flow, FlowFn,
    HandlerError, HandlerInput, HandlerResult, IntoContents, IntoOutput, IntoPrompt,
    IntoSuggestions, Invocation, Prompt, PromptArgument, PromptBuilder, PromptFn, PromptOptions,
    PromptReply, PromptTool, Resource, ResourceBuilder, ResourceContents, ResourceFn,
    SourceLocation, Tool, ToolAnnotations, ToolBuilder, ToolFn, ToolReply, ToolRetry, ToolTask,
};
#[cfg(feature = "evaluators")]
#[doc(inline)]
pub use genkit_evaluate::{DataPoint, EvalStatus, Evaluator, EvaluatorBuilder, IntoScores, Score};
