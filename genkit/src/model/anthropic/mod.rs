//! Anthropic: the Messages API, which Claude models answer.

#[cfg(feature = "anthropic")]
mod builder;
#[cfg(feature = "anthropic")]
mod error;
#[cfg(feature = "anthropic")]
mod error_reply;
#[cfg(feature = "anthropic")]
mod metadata;
#[cfg(feature = "anthropic")]
mod models;
#[cfg(feature = "anthropic")]
mod provider;
#[cfg(feature = "anthropic")]
mod request;
#[cfg(feature = "anthropic")]
mod response;
#[cfg(feature = "anthropic")]
mod schema;
#[cfg(feature = "anthropic")]
mod wire;

#[cfg(all(test, feature = "anthropic"))]
mod tests;

use super::provider::BuiltInProvider;
#[cfg(feature = "anthropic")]
pub use {builder::AnthropicBuilder, provider::Anthropic};

/// What errors call this provider, and the first part of its models' names.
const NAME: &str = "anthropic";

/// The provider as the catalog lists it.
pub(super) const PROVIDER: BuiltInProvider = BuiltInProvider {
    feature: "anthropic",
    prefixes: &[NAME],
    #[cfg(feature = "anthropic")]
    from_env: Some(|_| Ok(std::sync::Arc::new(Anthropic::from_env()?))),
    #[cfg(not(feature = "anthropic"))]
    from_env: None,
};
