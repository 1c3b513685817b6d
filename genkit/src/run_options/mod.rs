//! What is asked of a run, as plain data in Genkit's JSON, where prompts say it too: tool choice,
//! structured output, documents.

mod account;
mod document;
mod format;
mod output;
pub(crate) mod tool_choice;

pub(crate) use account::{drop_account, without_account};
pub use document::Document;
pub use format::Format;
pub use output::{Instructions, OutputOptions};
pub use tool_choice::ToolChoice;
