//! Middleware around runs, model calls and tool calls. Public as `middleware`.

mod chain;
mod closures;
mod compact;
#[cfg(feature = "http")]
mod download_media;
mod fallback;
mod named;
mod retry;
mod simulate_system_prompt;
mod skills;
mod tool_search;

pub(crate) use chain::Innermost;
#[doc(hidden)]
pub use chain::InnermostTool;
pub use chain::{Middleware, NextGenerate, NextModel, NextTool};
pub use closures::{MiddlewareResult, on_generate, on_model, on_tool};
pub use compact::{Compact, compact};
#[cfg(feature = "http")]
pub use download_media::{DownloadMedia, download_media};
pub use fallback::{Fallback, fallback};
pub use genkit_core::internal::generate::{AroundCall, CallOutcome, Tally};
pub use genkit_core::{ToolCall, ToolOutcome};
#[doc(hidden)]
pub use named::NamedMiddleware;
pub use retry::{Retry, retry};
pub use simulate_system_prompt::{SimulateSystemPrompt, simulate_system_prompt};
pub use skills::{Skills, skills};
pub(crate) use tool_search::{LazyTools, show_lazy_tools};
pub use tool_search::{ToolSearch, tool_search};
