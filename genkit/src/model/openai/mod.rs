//! Chat completions: OpenAI's models, and every server that speaks their language.
//!
//! Settings that this provider reads from a request's `config`, beside Genkit's common ones:
//!
//! | key | what it does |
//! |---|---|
//! | `presencePenalty`, `frequencyPenalty`, `seed`, `logProbs`, `topLogProbs`, `logitBias`, `reasoningEffort`, `parallelToolCalls`, `serviceTier`, `promptCacheKey` | sent under the name that the API has |
//! | `maxOutputTokens` | as `max_completion_tokens` or `max_tokens`, whichever the server knows |
//! | `topK` | sent where the server takes it, else left out |
//! | `visualDetailLevel` | how closely images are looked at |
//! | `version` | replaces the model's name |
//! | `apiKey` | replaces the key for this call; it never stands in the body |
//! | every other key | sent as it is: `reasoning`, `provider`, `response_format`, … |

#[cfg(feature = "openai")]
mod builder;
#[cfg(feature = "openai")]
mod data_url;
#[cfg(feature = "openai")]
mod error;
#[cfg(feature = "openai")]
mod error_reply;
#[cfg(feature = "openai")]
mod metadata;
#[cfg(feature = "openai")]
mod provider;
#[cfg(feature = "openai")]
mod request;
#[cfg(feature = "openai")]
mod response;
#[cfg(feature = "openai")]
mod schema;
#[cfg_attr(not(feature = "openai"), allow(dead_code, reason = "only the names are read"))]
mod servers;
#[cfg(feature = "openai")]
mod target;
#[cfg(feature = "openai")]
mod wire;

#[cfg(all(test, feature = "openai"))]
mod tests;

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
