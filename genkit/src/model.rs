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

#[cfg(feature = "anthropic")]
#[doc(inline)]
pub use genkit_anthropic::{Anthropic, AnthropicBuilder};
#[doc(inline)]
pub use genkit_core::{
    Document, Effort, FinishReason, GenerateChunk, ModelRequest, ModelResponse, OutputConfig,
    ToolChoice, ToolDefinition, Usage,
};
#[cfg(feature = "gemini")]
#[doc(inline)]
pub use genkit_gemini::{Gemini, GeminiBuilder};
#[cfg(feature = "http-model")]
#[doc(inline)]
pub use genkit_model::Cassette;
#[doc(inline)]
pub use genkit_model::{
    ChunkSink, Constrained, Embed, EmbedRequest, EmbedResponse, EmbedTask, Embedder, EmbedderRef,
    Embedding, FnEmbedder, FnModel, IntoModel, IntoResult, Model, ModelInfo, ModelRef, Provider,
    Supports, embedder_fn, from_fn,
};
#[cfg(feature = "ollama")]
#[doc(inline)]
pub use genkit_ollama::{Ollama, OllamaBuilder};
#[cfg(feature = "openai")]
#[doc(inline)]
pub use genkit_openai::{OpenAi, OpenAiBuilder};
#[cfg(feature = "openai-responses")]
#[doc(inline)]
pub use genkit_openai::{OpenAiResponses, OpenAiResponsesBuilder};
#[doc(inline)]
pub use genkit_schema::Schema;
