//! The window of a model: Ollama cuts what does not fit, without a word, and the tools with it.

use std::collections::BTreeSet;
use std::sync::Mutex;

use genkit_core::internal::sync::lock;

/// The window that Ollama gives a model where nobody says another, in tokens. Default is 4,096, the least: servers with
/// much memory take more.
pub(super) const DEFAULT_WINDOW: u64 = 4_096;

/// How many bytes of a request are taken for a token. Default is 4, English prose; JSON has fewer.
const BYTES_A_TOKEN: usize = 4;

/// Says once for each model that a request does not fit.
#[derive(Default)]
pub(super) struct Window {
    told: Mutex<BTreeSet<String>>,
}

impl Window {
    /// Warns where a request of `bytes` does not fit the window of `model`: one that is set, else (`Err`) that of the server.
    pub(super) fn check(&self, model: &str, bytes: usize, tools: usize, window: Result<u64, u64>) {
        let (Ok(size) | Err(size)) = window;
        let tokens = u64::try_from(bytes / BYTES_A_TOKEN).unwrap_or(u64::MAX);
        if !self.is_news(model, tokens, size) {
            return;
        }
        let whose = if window.is_ok() { "is set" } else { "Ollama may have by default" };
        tracing::warn!(
            model,
            tokens,
            tools,
            "a request for `{model}` has about {tokens} tokens ({tools} tools), more than the window of {size} that \
             {whose}: Ollama cuts the rest without a word, and answers as if it was never sent; give it more with \
             `num_ctx` in `config`, `Ollama::builder().num_ctx(..)` or OLLAMA_CONTEXT_LENGTH of the server, or offer \
             fewer tools"
        );
    }
    /// Whether a request does not fit, and nobody was told so far.
    fn is_news(&self, model: &str, tokens: u64, size: u64) -> bool {
        tokens > size && lock(&self.told).insert(model.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_told_once_for_each_model() {
        let window = Window::default();
        assert!(!window.is_news("a", DEFAULT_WINDOW, DEFAULT_WINDOW));
        assert!(window.is_news("a", DEFAULT_WINDOW + 1, DEFAULT_WINDOW));
        assert!(!window.is_news("a", DEFAULT_WINDOW + 2, DEFAULT_WINDOW));
        assert!(window.is_news("b", 9, 8));
    }
}
