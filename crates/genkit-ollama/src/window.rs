//! The context window of a model. Ollama silently truncates a request that exceeds the context
//! window, including its tools.

use std::collections::BTreeSet;
use std::sync::Mutex;

use genkit_core::internal::sync::lock;

/// Ollama's context window if none is configured, in tokens. Default is 4,096, the minimum: servers
/// with more memory use a larger window.
pub(super) const DEFAULT_WINDOW: u64 = 4_096;

/// The assumed number of bytes per token. Default is 4, as in English prose; JSON has fewer.
const BYTES_A_TOKEN: usize = 4;

/// The warnings about requests that exceed the context window, at most one for each model.
#[derive(Default)]
pub(super) struct Window {
    logged: Mutex<BTreeSet<String>>,
}

impl Window {
    /// Logs a warning if a request of `bytes` does not fit the context window of `model`. `window` is
    /// `Ok` if it is configured, and `Err` with the default of the server otherwise.
    pub(super) fn check_size(
        &self,
        model: &str,
        bytes: usize,
        tools: usize,
        window: Result<u64, u64>,
    ) {
        let (Ok(size) | Err(size)) = window;
        let tokens = u64::try_from(bytes / BYTES_A_TOKEN).unwrap_or(u64::MAX);
        if !self.should_warn(model, tokens, size) {
            return;
        }
        let whose = if window.is_ok() { "is configured" } else { "may be the server's default" };
        tracing::warn!(
            model,
            tokens,
            tools,
            "a request for `{model}` has about {tokens} tokens ({tools} tools), more than the context window of {size}, which \
             {whose}; Ollama silently truncates the request; increase the window with \
             `num_ctx` in `config`, `Ollama::builder().num_ctx(..)` or OLLAMA_CONTEXT_LENGTH of the server, or send \
             fewer tools"
        );
    }
    /// Returns whether a request exceeds the window and no warning has been logged yet.
    fn should_warn(&self, model: &str, tokens: u64, size: u64) -> bool {
        tokens > size && lock(&self.logged).insert(model.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overflow_is_logged_once_per_model() {
        let window = Window::default();
        assert!(!window.should_warn("a", DEFAULT_WINDOW, DEFAULT_WINDOW));
        assert!(window.should_warn("a", DEFAULT_WINDOW + 1, DEFAULT_WINDOW));
        assert!(!window.should_warn("a", DEFAULT_WINDOW + 2, DEFAULT_WINDOW));
        assert!(window.should_warn("b", 9, 8));
    }
}
