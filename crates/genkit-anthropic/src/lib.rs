//! Anthropic: the Messages API for Claude models.

#![allow(
    missing_docs,
    reason = "items that `genkit` re-exports are documented, which a test of `genkit` checks; the rest is internal to the workspace"
)]

mod builder;
mod error;
mod metadata;
mod models;
mod provider;
mod request;
mod response;
mod schema;

#[cfg(test)]
mod tests;

use genkit_model::internal::provider::LinkedProvider;
pub use {builder::AnthropicBuilder, provider::Anthropic};

/// The name of this provider in errors, and the prefix of its models' names.
const NAME: &str = "anthropic";

inventory::submit! {
    LinkedProvider {
        feature: "anthropic",
        prefixes: &[NAME],
        from_env: |_| Ok(std::sync::Arc::new(Anthropic::from_env()?)),
    }
}
