//! The providers of genkit's own crates: the linked providers, and the features that enable the others.

use std::sync::{Arc, Mutex};

use genkit_core::Result;
use genkit_core::internal::sync::lock;

use crate::Provider;
use crate::provider::{FromEnv, LinkedProvider};

/// The prefixes of each feature. If two features share a prefix, the first feature takes precedence.
const FEATURES: &[(&str, &[&str])] = &[
    ("anthropic", &["anthropic"]),
    ("gemini", &["gemini", "googleai"]),
    ("ollama", &["ollama"]),
    ("openai-responses", &["openai-responses"]),
    (
        "openai",
        &[
            "openai",
            "openrouter",
            "groq",
            "mistral",
            "deepseek",
            "xai",
            "gemini-openai",
            "together",
            "fireworks",
            "cerebras",
            "moonshot",
            "perplexity",
            "deepinfra",
            "nvidia",
            "huggingface",
            "ollama",
            "lmstudio",
            "vllm",
            "llamacpp",
        ],
    ),
];

/// Returns the feature that enables the provider of a prefix.
pub(super) fn find_feature(prefix: &str) -> Option<&'static str> {
    FEATURES.iter().find(|(_, prefixes)| prefixes.contains(&prefix)).map(|(feature, _)| *feature)
}

/// Returns the function that creates the provider of a prefix, if its crate is linked.
pub(super) fn linked_provider(prefix: &str) -> Option<FromEnv> {
    let rank = |feature: &str| FEATURES.iter().position(|(other, _)| *other == feature);
    inventory::iter::<LinkedProvider>
        .into_iter()
        .filter(|provider| provider.prefixes.contains(&prefix))
        .min_by_key(|provider| rank(provider.feature).unwrap_or(usize::MAX))
        .map(|provider| provider.from_env)
}

/// Returns every prefix, without duplicates.
pub(super) fn known_prefixes() -> impl Iterator<Item = &'static str> {
    FEATURES.iter().flat_map(|(feature, prefixes)| {
        prefixes.iter().copied().filter(move |prefix| find_feature(prefix) == Some(*feature))
    })
}

/// Returns the built-in provider for a prefix, created from environment variables once per process.
/// An error is not cached, because the API key may be set later.
pub(super) fn provider_once(prefix: &str, from_env: FromEnv) -> Result<Arc<dyn Provider>> {
    static MADE: Mutex<Vec<(String, Arc<dyn Provider>)>> = Mutex::new(Vec::new());
    let mut made = lock(&MADE);
    if let Some((_, provider)) = made.iter().find(|(name, _)| name == prefix) {
        return Ok(Arc::clone(provider));
    }
    let provider = from_env(prefix)?;
    made.push((prefix.to_owned(), Arc::clone(&provider)));
    Ok(provider)
}
