//! Chat completions and embeddings: OpenAI's models, and every server that speaks their language.

#[cfg(feature = "openai")]
mod builder;
#[cfg(feature = "openai")]
mod embedder;
#[cfg(feature = "openai")]
mod error;
#[cfg(feature = "openai")]
mod metadata;
#[cfg(feature = "openai")]
mod provider;
#[cfg(feature = "openai")]
mod request;
#[cfg(feature = "openai")]
mod response;
#[cfg(feature = "openai")]
mod wire;

#[cfg(all(test, feature = "openai"))]
mod tests;

use super::openai_wire::servers;
use super::provider::BuiltInProvider;
#[cfg(feature = "openai")]
pub use {builder::OpenAiBuilder, provider::OpenAi};

/// The provider as the catalog lists it: one for all servers that are known by name.
pub(super) const PROVIDER: BuiltInProvider = BuiltInProvider {
    feature: "openai",
    prefixes: &servers::NAMES,
    #[cfg(feature = "openai")]
    from_env: Some(|server| Ok(std::sync::Arc::new(OpenAi::server(server)?))),
    #[cfg(not(feature = "openai"))]
    from_env: None,
};
