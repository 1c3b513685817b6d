//! Chat completions and embeddings from OpenAI and compatible servers.

pub mod builder;
mod embedder;
mod error;
mod metadata;
pub mod provider;
mod request;
mod response;

#[cfg(test)]
mod tests;

use crate::wire::servers;
use genkit_model::internal::provider::LinkedProvider;
pub use provider::OpenAi;

inventory::submit! {
    LinkedProvider {
        feature: "openai",
        prefixes: &servers::NAMES,
        from_env: |server| Ok(std::sync::Arc::new(OpenAi::server(server)?)),
    }
}
