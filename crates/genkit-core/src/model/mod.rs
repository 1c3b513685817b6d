//! Requests to a model and its responses, as plain data.

pub(crate) mod encoded;
pub(crate) mod request;
pub(crate) mod response;

pub use encoded::{EncodedMessages, MessageList};
pub use request::{GENERATED_REF, ModelRequest, OutputConfig, ToolDefinition, UNANSWERED};
pub use response::{FinishReason, GenerateChunk, ModelResponse, Usage};
