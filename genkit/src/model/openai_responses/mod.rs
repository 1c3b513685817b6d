//! OpenAI's Responses API: what its newest models speak, and some of them alone.

#[cfg(feature = "openai-responses")]
mod builder;
#[cfg(feature = "openai-responses")]
mod error;
#[cfg(feature = "openai-responses")]
mod metadata;
#[cfg(feature = "openai-responses")]
mod provider;
#[cfg(feature = "openai-responses")]
mod request;
#[cfg(feature = "openai-responses")]
mod response;
#[cfg(feature = "openai-responses")]
mod wire;

#[cfg(all(test, feature = "openai-responses"))]
mod tests;

use super::provider::BuiltInProvider;
#[cfg(feature = "openai-responses")]
pub(super) use provider::model;
#[cfg(feature = "openai-responses")]
pub use {builder::OpenAiResponsesBuilder, provider::OpenAiResponses};

/// The provider as the catalog lists it.
pub(super) const PROVIDER: BuiltInProvider = BuiltInProvider {
    feature: "openai-responses",
    prefixes: &["openai-responses"],
    #[cfg(feature = "openai-responses")]
    from_env: Some(|_| Ok(std::sync::Arc::new(OpenAiResponses::from_env()?))),
    #[cfg(not(feature = "openai-responses"))]
    from_env: None,
};
