//! What errors of a provider say, and what they never say.

use reqwest::header::HeaderMap;
use serde_json::Value;

use super::endpoint::Endpoint;
use crate::error::{Error, ErrorKind};

/// How much of a provider's message an error repeats, in characters. Default is 2,000.
const MAX_MESSAGE: usize = 2_000;

/// How short a secret may be to be looked for in texts, in bytes. Default is 6: a shorter one
/// is a word of the language.
const MIN_SECRET: usize = 6;

/// What stands in the place of a secret.
pub(super) const HIDDEN: &str = "<KEY>";

/// Headers that name a call at its provider.
const REQUEST_IDS: [&str; 4] =
    ["x-request-id", "request-id", "x-goog-request-id", "apim-request-id"];

/// What an error says of an answer: the provider, the status, its message, the id of the request.
pub(crate) fn failure_text(
    provider: &str,
    status: u16,
    message: &str,
    headers: &dyn Fn(&str) -> Option<String>,
) -> String {
    let message = cut(message.trim(), MAX_MESSAGE);
    let mut text = format!("{provider}: HTTP {status}");
    if !message.is_empty() {
        text.push_str(": ");
        text.push_str(&message);
    }
    if let Some(id) = REQUEST_IDS.iter().find_map(|name| headers(name)) {
        text.push_str(&format!(" (request id {})", cut(&id, 100)));
    }
    text
}

/// An answer that is no JSON or not what the provider documents.
pub(crate) fn unreadable(provider: &str, error: &serde_json::Error) -> Error {
    if error.is_eof() {
        let text = format!("{provider}: the answer was cut off: {error}");
        return Error::new(ErrorKind::Unavailable, text);
    }
    Error::new(ErrorKind::Internal, format!("{provider}: the answer cannot be read: {error}"))
}

fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// The first cause, which is what people can act on.
pub(super) fn deepest(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    if std::ptr::addr_eq(cause, error) {
        // On its own it would name the URL.
        return "no cause is known".to_owned();
    }
    cause.to_string()
}

/// Whether a header of this name holds a secret.
pub(super) fn is_secret(name: &str) -> bool {
    ["auth", "key", "token", "secret", "cookie", "password"].iter().any(|part| name.contains(part))
}

/// The keys of one call.
pub(super) struct Secrets(Vec<String>);

impl Secrets {
    pub(super) fn of(own: &[(&'static str, String)], endpoint: &Endpoint) -> Self {
        let own = own.iter().filter(|(name, _)| is_secret(name)).map(|(_, value)| value.as_str());
        let mut secrets: Vec<String> = own
            .chain(of_headers(endpoint.headers()))
            .map(|value| value.strip_prefix("Bearer ").unwrap_or(value).trim())
            .filter(|value| value.len() >= MIN_SECRET)
            .map(str::to_owned)
            .collect();
        // A longer one may hold a shorter one.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Self(secrets)
    }

    /// The text without secrets, if there were any.
    pub(super) fn cleaned(&self, text: &str) -> Option<String> {
        let mut cleaned: Option<String> = None;
        for secret in &self.0 {
            let text = cleaned.as_deref().unwrap_or(text);
            if text.contains(secret) {
                cleaned = Some(text.replace(secret, HIDDEN));
            }
        }
        cleaned
    }

    /// The error without secrets.
    pub(super) fn scrub(&self, error: Error) -> Error {
        let details = error.details().map(Value::to_string).unwrap_or_default();
        if self.cleaned(&error.chain()).is_none() && self.cleaned(&details).is_none() {
            return error;
        }
        // What caused it may hold the key as well, so that only its text is kept.
        let text = error.chain();
        let clean = Error::new(error.kind(), self.cleaned(&text).unwrap_or(text))
            .retryable(error.is_retryable());
        match error.retry_after() {
            Some(wait) => clean.with_retry_after(wait),
            None => clean,
        }
    }
}

fn of_headers(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    headers.iter().filter(|(_, value)| value.is_sensitive()).filter_map(|(_, v)| v.to_str().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::time::Duration;

    fn secrets() -> Secrets {
        let endpoint = Endpoint::new("test", "http://a").unwrap();
        let endpoint = endpoint.with_header("authorization", "Bearer abcdef-longer").unwrap();
        Secrets::of(
            &[("x-goog-api-key", "abcdef".into()), ("accept", "a/b-not-secret".into())],
            &endpoint,
        )
    }

    #[test]
    fn a_key_is_hidden_wherever_it_stands() {
        let secrets = secrets();
        let error = Error::new(ErrorKind::ResourceExhausted, "key abcdef of abcdef-longer")
            .with_retry_after(Duration::from_secs(1))
            .retryable(false);
        let clean = secrets.scrub(error);
        assert_eq!(clean.to_string(), "key <KEY> of <KEY>");
        assert_eq!(clean.retry_after(), Some(Duration::from_secs(1)));
        assert!(!clean.is_retryable());
        let error = Error::not_found("x").with_details(json!({"a": "abcdef"}));
        assert!(secrets.scrub(error).details().is_none());
        let error = Error::not_found("x").with_source(std::io::Error::other("abcdef"));
        assert_eq!(secrets.scrub(error).chain(), "x: <KEY>");
        assert!(secrets.cleaned("nothing in it, a/b-not-secret").is_none());
    }

    #[test]
    fn a_word_is_no_secret() {
        let endpoint = Endpoint::new("test", "http://a").unwrap();
        let of = |key: &str| Secrets::of(&[("x-api-key", key.into())], &endpoint);
        assert!(of("12345").cleaned("12345").is_none());
        assert!(of("123456").cleaned("123456").is_some());
    }

    #[test]
    fn a_message_is_cut() {
        let text = |n: usize| failure_text("test", 500, &"ä".repeat(n), &|_| None);
        assert!(text(MAX_MESSAGE).ends_with('ä'));
        assert!(text(MAX_MESSAGE + 1).ends_with('…'));
        assert_eq!(text(MAX_MESSAGE).chars().count(), "test: HTTP 500: ".len() + MAX_MESSAGE);
    }

    #[test]
    fn the_id_of_the_request_is_named() {
        let headers = |name: &str| (name == "request-id").then(|| "r7".to_owned());
        assert_eq!(failure_text("test", 502, "", &headers), "test: HTTP 502 (request id r7)");
    }
}
