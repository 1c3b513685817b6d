//! What stands around runs, model calls and tool calls; public as [`crate::middleware`].

mod chain;
mod closures;
mod compact;
#[cfg(feature = "http-model")]
mod download_media;
mod fallback;
mod named;
mod outcome;
mod retry;
mod simulate_system_prompt;
#[cfg(feature = "skills")]
mod skills;
mod tool_search;

pub(crate) use chain::{Innermost, InnermostTool};
pub use chain::{Middleware, NextGenerate, NextModel, NextTool};
pub use closures::{on_generate, on_model, on_tool};
pub use compact::{Compact, compact};
#[cfg(feature = "http-model")]
pub use download_media::{DownloadMedia, download_media};
pub use fallback::{Fallback, fallback};
pub(crate) use named::NamedMiddleware;
pub(crate) use outcome::{AroundCall, CallOutcome, Tally};
pub use outcome::{ToolCall, ToolOutcome};
pub use retry::{Retry, retry};
pub use simulate_system_prompt::{SimulateSystemPrompt, simulate_system_prompt};
#[cfg(feature = "skills")]
pub use skills::{Skills, skills};
pub use tool_search::{ToolSearch, tool_search};
