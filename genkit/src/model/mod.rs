//! Language models: one trait, and what goes in and comes out of it.
//!
//! A model is named by a string, `"gemini/gemini-2.5-flash"`, or given as a value. Everything here
//! is plain data in Genkit's JSON; a provider turns it into its own wire format and back.
//!
//! | what you have | what you write |
//! |---|---|
//! | a model of Google, OpenAI, Anthropic or Ollama | its name: `.model("gemini/gemini-2.5-flash")`, `.model("openai/gpt-4o-mini")`, `.model("anthropic/claude-sonnet-4-6")` |
//! | a server that speaks OpenAI's chat completions | `OpenAi::builder().base_url("http://localhost:4000/v1").build()?.model("name")` |
//! | a function, for a test or a prototype | [`from_fn`] |
//! | a model with a state of its own | a type that implements [`Model`] |
//! | a family of models behind one key | a type that implements [`Provider`] |
//!
//! A model of your own is a closure:
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

mod anthropic;
#[cfg(any(feature = "anthropic", feature = "gemini"))]
mod arguments;
#[cfg(feature = "http-model")]
mod cassette;
mod catalog;
mod closure;
#[cfg(any(feature = "anthropic", feature = "gemini", feature = "ollama", feature = "openai"))]
mod data_url;
pub(crate) mod documents;
mod embedding;
mod encoded;
pub(crate) mod estimate;
mod gemini;
#[cfg(feature = "http-model")]
mod http;
mod info;
mod interface;
#[cfg(any(feature = "openai", feature = "ollama"))]
pub(crate) mod lenient;
mod ollama;
mod openai;
mod openai_responses;
mod openai_wire;
mod provider;
mod request;
mod response;
pub(crate) mod sampling;
#[cfg(feature = "http-model")]
mod settings;
#[cfg(any(feature = "anthropic", feature = "gemini", feature = "openai"))]
mod signature;
#[cfg(feature = "http-model")]
mod wire;

pub use crate::run_options::{Document, Effort, ToolChoice};
pub use crate::schema::Schema;
#[cfg(feature = "anthropic")]
pub use anthropic::{Anthropic, AnthropicBuilder};
#[cfg(feature = "http-model")]
pub use cassette::Cassette;
pub(crate) use catalog::Models;
pub use catalog::{Embed, EmbedderRef, IntoModel, ModelRef};
pub use closure::{FnModel, IntoResult, from_fn};
pub use embedding::{
    EmbedRequest, EmbedResponse, EmbedTask, Embedder, Embedding, FnEmbedder, embedder_fn,
};
pub(crate) use encoded::Encoded;
#[cfg(feature = "http-model")]
pub(crate) use encoded::MessageList;
#[cfg(feature = "gemini")]
pub use gemini::{Gemini, GeminiBuilder};
#[cfg(feature = "http-model")]
pub(crate) use http::{download, forbid_network};
pub use info::{Constrained, ModelInfo, Supports};
pub(crate) use interface::does_not_count;
pub use interface::{ChunkSink, Model};
#[cfg(feature = "ollama")]
pub use ollama::{Ollama, OllamaBuilder};
#[cfg(feature = "openai")]
pub use openai::{OpenAi, OpenAiBuilder};
#[cfg(feature = "openai-responses")]
pub use openai_responses::{OpenAiResponses, OpenAiResponsesBuilder};
pub use provider::Provider;
pub(crate) use request::GENERATED_REF;
#[cfg(any(feature = "anthropic", feature = "gemini", feature = "openai"))]
pub(crate) use request::UNANSWERED;
pub use request::{ModelRequest, OutputConfig, ToolDefinition};
pub use response::{FinishReason, GenerateChunk, ModelResponse, Usage};
#[cfg(feature = "http-model")]
pub(crate) use settings::left_out;
