//! OpenAI's two APIs, chat completions and Responses, and the servers that speak the first.

#![allow(
    missing_docs,
    reason = "what is public for users is documented, which a test of `genkit` checks; the rest is for sibling crates"
)]

mod chat;
mod responses;
mod wire;

pub use chat::builder::OpenAiBuilder;
pub use chat::provider::OpenAi;
pub use responses::builder::OpenAiResponsesBuilder;
pub use responses::provider::OpenAiResponses;
