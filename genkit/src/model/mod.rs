//! Language models: one trait, and what goes in and comes out of it.
//!
//! A model is named by a string, `"gemini/gemini-2.5-flash"`, or given as a value. Everything here
//! is plain data in Genkit's JSON; a provider turns it into its own wire format and back.
//!
//! A model of your own is one method:
//!
//! ```
//! use genkit::model::{ChunkSink, Generating, Model, ModelRequest, ModelResponse};
//!
//! struct Echo;
//!
//! impl Model for Echo {
//!     fn name(&self) -> &str {
//!         "echo"
//!     }
//!
//!     fn generate<'a>(&'a self, request: &'a ModelRequest, _: &'a ChunkSink) -> Generating<'a> {
//!         Box::pin(async move {
//!             let text = request.messages.last().map(|message| message.text());
//!             Ok(ModelResponse::from_text(text.unwrap_or_default()))
//!         })
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> genkit::Result<()> {
//! assert_eq!(genkit::generate("hello").model(Echo).await?.text(), "hello");
//! # Ok(())
//! # }
//! ```

#[cfg(feature = "http-model")]
mod cassette;
mod catalog;
pub(crate) mod documents;
mod gemini;
#[cfg(feature = "http-model")]
mod http;
mod info;
mod interface;
#[cfg(any(feature = "http-model", feature = "mcp-server"))]
mod names;
mod openai;
mod provider;
mod request;
mod response;
pub(crate) mod sampling;
#[cfg(feature = "http-model")]
mod sse;
#[cfg(feature = "http-model")]
mod wire;

pub use crate::schema::Schema;
#[cfg(feature = "http-model")]
pub use cassette::Cassette;
pub use catalog::ModelRef;
pub(crate) use catalog::Models;
#[cfg(feature = "gemini")]
pub use gemini::{Gemini, GeminiBuilder};
#[cfg(feature = "http-model")]
pub(crate) use http::{download, forbid_network};
pub use info::{Constrained, ModelInfo, Supports};
pub use interface::{ChunkSink, Generating, Model};
#[cfg(any(feature = "http-model", feature = "mcp-server"))]
pub(crate) use names::Names;
#[cfg(feature = "openai")]
pub use openai::{OpenAi, OpenAiBuilder};
pub use provider::Provider;
pub(crate) use request::GENERATED_REF;
pub use request::{Document, ModelRequest, OutputConfig, ToolChoice, ToolDefinition};
pub use response::{FinishReason, GenerateChunk, ModelResponse, Usage};
