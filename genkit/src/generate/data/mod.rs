//! A run as plain data: the options that it is asked with, the response that it gives.

mod messages;
mod options;
mod parts;
mod response;
mod tool_chunk;
mod turn;

pub use crate::run_options::{Instructions, OutputOptions, UsageLimit};
pub use messages::IntoMessages;
pub use options::GenerateOptions;
pub use parts::IntoParts;
pub use response::GenerateResponse;
pub(crate) use response::STOPPED;
pub use tool_chunk::{ToolChunk, ToolProgress};
pub(crate) use turn::BeforeTurn;
pub use turn::Turn;
