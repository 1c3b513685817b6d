//! OpenAI's Responses API. Some of OpenAI's newest models support only this API.

pub mod builder;
mod error;
mod metadata;
pub mod provider;
mod request;
mod response;

#[cfg(test)]
mod tests;

use genkit_model::internal::provider::LinkedProvider;
pub use provider::OpenAiResponses;
pub(super) use provider::responses_model;

inventory::submit! {
    LinkedProvider {
        feature: "openai-responses",
        prefixes: &["openai-responses"],
        from_env: |_| Ok(std::sync::Arc::new(OpenAiResponses::from_env()?)),
    }
}
