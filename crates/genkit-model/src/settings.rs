//! Settings that an API has no word for: left out of a request, and named once.

use std::collections::HashSet;
use std::sync::{LazyLock, Mutex};

use genkit_core::internal::sync::lock;
use genkit_core::internal::visible::Logged;

/// How many are remembered. Default is 1,000: settings are a program's own, and few.
const MAX_NAMED: usize = 1_000;

/// What was named already: the API and its setting.
static NAMED: LazyLock<Mutex<HashSet<(String, String)>>> = LazyLock::new(Mutex::default);

/// Says that a request to `model` goes out without `setting`, which `api` does not have, and what to do
/// about it: once for each setting of an API in a process.
pub fn left_out(api: &str, model: &str, setting: &str, remedy: &str) {
    if is_new(api, setting) {
        let (model, setting) = (Logged::name(model), Logged::name(setting));
        tracing::warn!("{api} has no `{setting}` for {model}, so it is left out: {remedy}");
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
