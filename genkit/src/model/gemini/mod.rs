//! Google Gemini: the `generateContent` calls of the Gemini API.

#[cfg(feature = "gemini")]
mod builder;
#[cfg(feature = "gemini")]
mod contents;
#[cfg(feature = "gemini")]
mod embedder;
#[cfg(feature = "gemini")]
mod error;
#[cfg(feature = "gemini")]
mod error_reply;
#[cfg(feature = "gemini")]
mod media;
#[cfg(feature = "gemini")]
mod models;
#[cfg(feature = "gemini")]
mod partial_args;
#[cfg(feature = "gemini")]
mod provider;
#[cfg(feature = "gemini")]
mod reply;
#[cfg(feature = "gemini")]
mod request;
#[cfg(feature = "gemini")]
mod request_part;
#[cfg(feature = "gemini")]
mod response;
#[cfg(feature = "gemini")]
mod schema;
#[cfg(feature = "gemini")]
mod tools;
#[cfg(feature = "gemini")]
mod wire;

use super::provider::BuiltInProvider;
#[cfg(feature = "gemini")]
pub use {builder::GeminiBuilder, provider::Gemini};

/// What errors call this provider, and the first part of its models' names.
const NAME: &str = "gemini";

/// The provider as the catalog lists it.
pub(super) const PROVIDER: BuiltInProvider = BuiltInProvider {
    feature: "gemini",
    prefixes: &[NAME, "googleai"],
    #[cfg(feature = "gemini")]
    from_env: Some(|_| Ok(std::sync::Arc::new(Gemini::from_env()?))),
    #[cfg(not(feature = "gemini"))]
    from_env: None,
};
