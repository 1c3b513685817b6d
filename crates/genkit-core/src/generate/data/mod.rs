//! A run as plain data: its options and its response.

mod messages;
mod options;
mod output_retry;
mod parts;
mod response;
mod tool_chunk;

pub use messages::IntoMessages;
pub use options::GenerateOptions;
pub use output_retry::OutputRetry;
pub use parts::IntoParts;
pub use response::GenerateResponse;
pub use tool_chunk::{ToolChunk, ToolProgress};
