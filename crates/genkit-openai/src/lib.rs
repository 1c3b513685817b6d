//! Model providers for OpenAI's Chat Completions and Responses APIs, and for servers compatible with Chat Completions.

#![allow(
    missing_docs,
    reason = "items that `genkit` re-exports are documented, which a test of `genkit` checks; the rest is internal to the workspace"
)]

mod chat;
mod responses;
mod wire;

pub use chat::builder::OpenAiBuilder;
pub use chat::provider::OpenAi;
pub use responses::builder::OpenAiResponsesBuilder;
pub use responses::provider::OpenAiResponses;
