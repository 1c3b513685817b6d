//! The providers of this library.

use std::sync::{Arc, Mutex};

use crate::error::Result;
use crate::model::provider::{BuiltInProvider, FromEnv};
use crate::model::{Provider, anthropic, gemini, ollama, openai, openai_responses};
use crate::sync::lock;

/// The providers of this library: one line for each.
const PROVIDERS: &[BuiltInProvider] = &[
    anthropic::PROVIDER,
    gemini::PROVIDER,
    ollama::PROVIDER,
    openai_responses::PROVIDER,
    openai::PROVIDER,
];

/// The provider of a prefix: of several (`ollama` has an API of its own, and speaks OpenAI's) the first whose feature is
/// on, else the first.
pub(super) fn built_in(prefix: &str) -> Option<&'static BuiltInProvider> {
    let all = || PROVIDERS.iter().filter(|provider| provider.prefixes.contains(&prefix));
    all().find(|provider| provider.from_env.is_some()).or_else(|| all().next())
}

/// Every prefix, each once.
pub(super) fn prefixes() -> impl Iterator<Item = &'static str> {
    let own = |provider: &BuiltInProvider, prefix: &str| {
        built_in(prefix).is_some_and(|first| first.feature == provider.feature)
    };
    PROVIDERS.iter().flat_map(move |provider| {
        provider.prefixes.iter().copied().filter(move |prefix| own(provider, prefix))
    })
}

/// A provider of this library from the environment, made once in a program. A failure is not cached: the key may be
/// set later.
pub(super) fn once(prefix: &str, from_env: FromEnv) -> Result<Arc<dyn Provider>> {
    static MADE: Mutex<Vec<(String, Arc<dyn Provider>)>> = Mutex::new(Vec::new());
    let mut made = lock(&MADE);
    if let Some((_, provider)) = made.iter().find(|(name, _)| name == prefix) {
        return Ok(Arc::clone(provider));
    }
    let provider = from_env(prefix)?;
    made.push((prefix.to_owned(), Arc::clone(&provider)));
    Ok(provider)
}

#[cfg(all(
    test,
    feature = "anthropic",
    feature = "gemini",
    feature = "ollama",
    feature = "openai-responses"
))]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_belongs_to_one_provider_which_its_feature_makes() {
        let mut shared: Vec<&&str> = Vec::new();
        for provider in PROVIDERS {
            assert!(provider.from_env.is_some(), "{}", provider.feature);
            let others = |prefix: &&&str| built_in(prefix).unwrap().feature != provider.feature;
            shared.extend(provider.prefixes.iter().filter(others));
        }
        // Its own API comes before OpenAI's.
        assert_eq!(shared, [&"ollama"]);
        assert_eq!(built_in("ollama").unwrap().feature, "ollama");
        assert!(built_in("nobody").is_none());
    }
}
