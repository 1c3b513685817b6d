//! Google Gemini: the `generateContent` methods of the Gemini API.

#![allow(
    missing_docs,
    reason = "items that `genkit` re-exports are documented, which a test of `genkit` checks; the rest is internal to the workspace"
)]

mod builder;
mod embedder;
mod error;
mod metadata;
mod models;
mod provider;
mod request;
mod response;
mod schema;

use genkit_model::internal::provider::LinkedProvider;
pub use {builder::GeminiBuilder, provider::Gemini};

/// The name of this provider in errors, and the prefix of its models' names.
const NAME: &str = "gemini";

inventory::submit! {
    LinkedProvider {
        feature: "gemini",
        prefixes: &[NAME, "googleai"],
        from_env: |_| Ok(std::sync::Arc::new(Gemini::from_env()?)),
    }
}
