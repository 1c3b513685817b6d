//! A model provider for Ollama's chat and embedding APIs.

#![allow(
    missing_docs,
    reason = "items that `genkit` re-exports are documented, which a test of `genkit` checks; the rest is internal to the workspace"
)]

mod address;
mod builder;
mod embedder;
mod error;
mod provider;
mod request;
mod response;
mod schema;
mod window;

#[cfg(test)]
mod tests;

use genkit_model::internal::provider::LinkedProvider;
pub use {builder::OllamaBuilder, provider::Ollama};

/// The name of this provider in errors, and the prefix of its models' names.
const NAME: &str = "ollama";

inventory::submit! {
    LinkedProvider {
        feature: "ollama",
        prefixes: &[NAME],
        from_env: |_| Ok(std::sync::Arc::new(Ollama::from_env()?)),
    }
}
