//! Options of a run as plain data in Genkit's JSON, shared with prompts: tool choice, structured output, documents,
//! model settings.

mod document;
mod effort;
mod format;
mod output;
mod settings;
pub(crate) mod tool_choice;
mod usage_limit;

pub use document::Document;
pub use effort::Effort;
pub use effort::REASONING_EFFORT;
pub use format::Format;
pub use output::{Instructions, OutputOptions};
pub use settings::json_number;
pub use settings::{misspelt_settings, wrong_setting};
pub use tool_choice::ToolChoice;
pub use usage_limit::UsageLimit;
