//! A run as plain data: the options that it is asked with, the response that it gives.

mod options;
mod parts;
mod response;
mod tool_chunk;

pub use options::{GenerateOptions, Instructions, OutputOptions};
pub use parts::IntoParts;
pub use response::GenerateResponse;
pub use tool_chunk::{ToolChunk, ToolProgress};
