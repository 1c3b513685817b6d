//! The providers of this library.

use std::sync::{Arc, Mutex};

use crate::error::Result;
use crate::model::provider::{BuiltInProvider, FromEnv};
use crate::model::{Provider, anthropic, gemini, openai, openai_responses};
use crate::sync::lock;

/// The providers of this library: one line for each.
pub(super) const PROVIDERS: &[BuiltInProvider] =
    &[anthropic::PROVIDER, gemini::PROVIDER, openai::PROVIDER, openai_responses::PROVIDER];

pub(super) fn built_in(prefix: &str) -> Option<&'static BuiltInProvider> {
    PROVIDERS.iter().find(|provider| provider.prefixes.contains(&prefix))
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

#[cfg(all(test, feature = "anthropic", feature = "gemini", feature = "openai-responses"))]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_belongs_to_one_provider_which_its_feature_makes() {
        let mut seen = Vec::new();
        for provider in PROVIDERS {
            assert!(provider.from_env.is_some(), "{}", provider.feature);
            for prefix in provider.prefixes {
                assert!(!seen.contains(prefix), "{prefix}");
                assert_eq!(built_in(prefix).unwrap().feature, provider.feature);
                seen.push(*prefix);
            }
        }
        assert!(seen.len() > PROVIDERS.len(), "some have several");
        assert!(built_in("nobody").is_none());
    }
}
