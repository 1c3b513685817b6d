//! Model requests and responses, as plain data.

pub(crate) mod encoded;
mod matching;
pub(crate) mod request;
pub(crate) mod response;

pub use encoded::{EncodedMessages, MessageList};
pub use matching::{find_matches, list_groups};
pub use request::{GENERATED_REF, ModelRequest, OutputConfig, ToolDefinition, UNANSWERED};
pub use response::{FinishReason, GenerateChunk, ModelResponse, Usage};
