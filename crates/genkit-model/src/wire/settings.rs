//! Warnings about settings that an API does not support.

use std::collections::HashSet;
use std::sync::{LazyLock, Mutex};

use genkit_core::internal::sync::lock;
use genkit_core::internal::visible::Logged;

/// The maximum number of warnings per process. Default is 1,000; further warnings are not logged.
const MAX_NAMED: usize = 1_000;

/// The pairs of API and setting that have already been reported.
static NAMED: LazyLock<Mutex<HashSet<(String, String)>>> = LazyLock::new(Mutex::default);

/// Logs a warning that `setting` is omitted from a request to `model` because `api` does not support
/// it, followed by `remedy`. Logged once per process for each pair of API and setting.
pub fn warn_omitted(api: &str, model: &str, setting: &str, remedy: &str) {
    if is_new(api, setting) {
        let (model, setting) = (Logged::name(model), Logged::name(setting));
        tracing::warn!(
            "{api} does not support `{setting}` for {model}, so it is omitted; {remedy}"
        );
    }
}

fn is_new(api: &str, setting: &str) -> bool {
    let mut named = lock(&NAMED);
    named.len() < MAX_NAMED && named.insert((api.to_owned(), setting.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_setting_of_an_api_is_named_once() {
        assert!(is_new("One", "topK"));
        assert!(!is_new("One", "topK"));
        assert!(is_new("One", "seed") && is_new("Other", "topK"));
    }
}
