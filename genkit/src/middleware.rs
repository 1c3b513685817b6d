//! Middleware: code around a run, around each model call and around each tool call.
//!
//! | what you want | what you write |
//! |---|---|
//! | a cache, a guard, a logger of model calls | [`on_model`] |
//! | a logger of tool calls, an answer in the place of a tool | [`on_tool`] |
//! | the time of a whole run, a check of its answer | [`on_generate`] |
//! | all of that in one, or tools that come with it | a type that implements [`Middleware`] |
//! | any of them in a `.prompt` file, or in a request that is data | [`GenkitBuilder::named_middleware`](crate::GenkitBuilder::named_middleware) |
//! | another try, another model | [`retry()`], [`fallback()`] |
//! | conversations that grow too long | [`compact()`] |
//! | hundreds of tools | [`tool_search()`] |
//! | skills: folders of instructions, of this program and of MCP servers | `skills()` (feature `skills`) |
//!
//! ```
//! use genkit::middleware::on_model;
//! use genkit::testing::ScriptedModel;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> genkit::Result<()> {
//! let logger = on_model(|request, chunks, next| async move {
//!     println!("{} is asked with {} messages", next.model_name(), request.messages.len());
//!     next.run(&request, &chunks).await
//! });
//! let run = genkit::generate("hello").model(ScriptedModel::text("hi")).middleware(logger);
//! assert_eq!(run.await?.text(), "hi");
//! # Ok(())
//! # }
//! ```

#[doc(inline)]
pub use genkit_agent::middleware::{
    Compact, Fallback, Middleware, NextGenerate, NextModel, NextTool, Retry, SimulateSystemPrompt,
    ToolSearch, compact, fallback, on_generate, on_model, on_tool, retry, simulate_system_prompt,
    tool_search,
};
#[cfg(feature = "http-model")]
#[doc(inline)]
pub use genkit_agent::middleware::{DownloadMedia, download_media};
#[cfg(feature = "skills")]
#[doc(inline)]
pub use genkit_agent::middleware::{Skills, skills};
#[doc(inline)]
pub use genkit_core::{ToolCall, ToolOutcome};
