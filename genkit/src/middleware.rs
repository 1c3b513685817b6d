//! Middleware: code around a run, around each model call and around each tool call.
//!
//! | to write | use |
//! |---|---|
//! | a cache, a guard or a logger of model calls | [`on_model`] |
//! | a logger of tool calls, or a replacement for a tool | [`on_tool`] |
//! | a timer for a whole run, or a check of its response | [`on_generate`] |
//! | all of these in one, or middleware that adds tools | a type that implements [`Middleware`] |
//! | middleware for `.prompt` files and plain-data requests | [`GenkitBuilder::named_middleware`](crate::GenkitBuilder::named_middleware) |
//!
//! | for | use |
//! |---|---|
//! | failed model calls: retry, or call another model | [`retry()`], [`fallback()`] |
//! | conversations that grow too long | [`compact()`] |
//! | hundreds of tools | [lazy tools](crate::tool), or [`tool_search()`] |
//! | skills: folders of instructions, of this program and of MCP servers | `skills()` (feature `skills`) |
//!
//! ```
//! use genkit::middleware::on_model;
//! use genkit::testing::ScriptedModel;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> genkit::Result<()> {
//! let logger = on_model(|request, chunks, next| async move {
//!     println!("calling {} with {} messages", next.model_name(), request.messages.len());
//!     next.run(&request, &chunks).await
//! });
//! let run = genkit::generate("hello").model(ScriptedModel::text("hi")).middleware(logger);
//! assert_eq!(run.await?.text(), "hi");
//! # Ok(())
//! # }
//! ```

#[doc(inline)]
pub use genkit_agent::middleware::{
    Compact, Fallback, Middleware, MiddlewareResult, NextGenerate, NextModel, NextTool, Retry,
    SimulateSystemPrompt, ToolSearch, compact, fallback, on_generate, on_model, on_tool, retry,
    simulate_system_prompt, tool_search,
};
#[cfg(feature = "http-model")]
#[doc(inline)]
pub use genkit_agent::middleware::{DownloadMedia, download_media};
#[doc(inline)]
pub use genkit_agent::middleware::{Skills, skills};
#[doc(inline)]
pub use genkit_core::{ToolCall, ToolOutcome};
