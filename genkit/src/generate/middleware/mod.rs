//! Middleware: code around a run, around each model call and around each tool call.

mod chain;
#[cfg(feature = "http-model")]
mod download_media;
mod fallback;
mod outcome;
mod retry;
mod simulate_system_prompt;

pub(crate) use chain::Innermost;
pub use chain::{Middleware, NextGenerate, NextModel, NextTool};
#[cfg(feature = "http-model")]
pub use download_media::{DownloadMedia, download_media};
pub use fallback::{Fallback, fallback};
pub(crate) use outcome::CallOutcome;
pub use outcome::{ToolCall, ToolOutcome};
pub use retry::{Retry, retry};
pub use simulate_system_prompt::{SimulateSystemPrompt, simulate_system_prompt};
