//! OpenAI's Responses API: what its newest models speak, and some of them alone.

pub mod builder;
mod error;
mod metadata;
pub mod provider;
mod request;
mod response;
mod wire;

#[cfg(test)]
mod tests;

use genkit_model::internal::provider::LinkedProvider;
pub(super) use provider::model;
pub use provider::OpenAiResponses;

inventory::submit! {
    LinkedProvider {
        feature: "openai-responses",
        prefixes: &["openai-responses"],
        from_env: |_| Ok(std::sync::Arc::new(OpenAiResponses::from_env()?)),
    }
}
