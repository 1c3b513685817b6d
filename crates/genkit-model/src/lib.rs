//! Language models: the [`Model`] trait, its requests and responses, and the built-in providers.
//!
//! A model is named by a string such as `"gemini/gemini-2.5-flash"`, or passed as a value. Requests
//! and responses are plain data in Genkit's JSON format; a provider converts them to and from its
//! own wire format.
//!
//! | model | code |
//! |---|---|
//! | a model of Google, OpenAI, Anthropic or Ollama | its name: `.model("gemini/gemini-2.5-flash")`, `.model("openai/gpt-4o-mini")`, `.model("anthropic/claude-sonnet-4-6")` |
//! | a model on a server with OpenAI's chat completions API | `OpenAi::builder().base_url("http://localhost:4000/v1").build()?.model("name")` |
//! | a closure, for a test or a prototype | [`from_fn`] |
//! | a custom model with its own state | a type that implements [`Model`] |
//! | a family of models that share one API key | a type that implements [`Provider`] |
//!
//! A custom model can be a closure:
//!
//! ```
//! use genkit::model;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> genkit::Result<()> {
//! let echo = model::from_fn("echo", |request, _| async move {
//!     request.messages.last().map(|message| message.text()).unwrap_or_default()
//! });
//! assert_eq!(genkit::generate("hello").model(echo).await?.text(), "hello");
//! # Ok(())
//! # }
//! ```

#![allow(
    missing_docs,
    reason = "items that `genkit` re-exports are documented, which a test of `genkit` checks; the rest is internal to the workspace"
)]

mod catalog;
mod closure;
pub(crate) mod documents;
mod embedding;
pub(crate) mod estimate;
#[cfg(feature = "http")]
mod http;
mod info;
mod interface;
#[doc(hidden)]
pub mod internal;
mod provider;
pub(crate) mod sampling;
mod scripted;
#[cfg(feature = "http")]
mod wire;

pub use catalog::{Embed, EmbedderRef, IntoModel, ModelRef};
pub use closure::{FnModel, IntoResult, from_fn};
pub use embedding::{
    EmbedRequest, EmbedResponse, EmbedTask, Embedder, Embedding, FnEmbedder, embedder_fn,
};
pub use genkit_core::{
    Document, Effort, FinishReason, GenerateChunk, ModelRequest, ModelResponse, OutputConfig,
    ToolChoice, ToolDefinition, Usage,
};
pub use genkit_schema::Schema;
#[cfg(feature = "http")]
pub use http::Cassette;
pub use info::{Constrained, ModelInfo, Supports};
pub(crate) use interface::cannot_count_error;
pub use interface::{ChunkSink, Model};
pub use provider::Provider;
pub use scripted::{Scripted, ScriptedModel};
