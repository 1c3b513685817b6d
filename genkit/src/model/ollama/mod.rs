//! Ollama: its own chat calls, and embeddings.

#[cfg(feature = "ollama")]
mod address;
#[cfg(feature = "ollama")]
mod builder;
#[cfg(feature = "ollama")]
mod embedder;
#[cfg(feature = "ollama")]
mod error;
#[cfg(feature = "ollama")]
mod error_reply;
#[cfg(feature = "ollama")]
mod provider;
#[cfg(feature = "ollama")]
mod request;
#[cfg(feature = "ollama")]
mod response;
#[cfg(feature = "ollama")]
mod schema;
#[cfg(feature = "ollama")]
mod window;
#[cfg(feature = "ollama")]
mod wire;

#[cfg(all(test, feature = "ollama"))]
mod tests;

use super::provider::BuiltInProvider;
#[cfg(feature = "ollama")]
pub use {builder::OllamaBuilder, provider::Ollama};

/// What errors call this provider, and the first part of its models' names.
const NAME: &str = "ollama";

/// The provider as the catalog lists it.
pub(super) const PROVIDER: BuiltInProvider = BuiltInProvider {
    feature: "ollama",
    prefixes: &[NAME],
    #[cfg(feature = "ollama")]
    from_env: Some(|_| Ok(std::sync::Arc::new(Ollama::from_env()?))),
    #[cfg(not(feature = "ollama"))]
    from_env: None,
};
