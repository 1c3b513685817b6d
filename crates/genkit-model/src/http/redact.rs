//! Redaction, which removes the secrets of a call from errors and recordings.

use reqwest::Url;
use reqwest::header::HeaderMap;
use serde_json::Value;
use std::borrow::Cow;

use genkit_core::Error;
use genkit_core::internal::redact::{Secret, is_secret_name, redact_secrets, secret_parts};

/// The minimum length of a secret that is redacted, in bytes. Default is 6: a shorter secret could
/// be an ordinary word.
const MIN_SECRET: usize = 6;

/// The replacement of a secret.
const HIDDEN: &str = "<KEY>";

/// The secrets of one call.
pub(crate) struct Secrets(Vec<Secret>);

impl Secrets {
    /// Collects the secrets in the headers of a call and of its endpoint.
    pub(crate) fn from_headers(
        own: &[(&'static str, Cow<'static, str>)],
        added: &HeaderMap,
    ) -> Self {
        let own = own.iter().filter(|(name, _)| is_secret_name(name)).map(|(_, value)| &**value);
        Self::from_values(own.chain(sensitive_names(added)).map(str::to_owned))
    }

    /// Adds the secrets in a base URL: the values of secret names in its query, and its password.
    pub(super) fn with_query(self, base: &Url) -> Self {
        let query = base.query_pairs().filter(|(name, _)| is_secret_name(name));
        let password = base.password().map(str::to_owned);
        let given = query.map(|(_, value)| value.into_owned()).chain(password);
        let known: Vec<String> = self.0.iter().map(|secret| secret.value().to_owned()).collect();
        Self::from_values(known.into_iter().chain(given))
    }

    fn from_values(values: impl Iterator<Item = String>) -> Self {
        let mut secrets: Vec<Secret> = Vec::new();
        for value in values {
            for part in secret_parts(&value, MIN_SECRET) {
                if secrets.iter().all(|known| known.value() != part) {
                    secrets.push(Secret::new(&part, HIDDEN));
                }
            }
        }
        Self(secrets)
    }

    /// Returns the text without secrets, or `None` if it contains none.
    pub(crate) fn redact_text(&self, text: &str) -> Option<String> {
        match redact_secrets(text, self.0.iter()) {
            Cow::Borrowed(_) => None,
            Cow::Owned(redacted) => Some(redacted),
        }
    }

    /// Removes the secrets from bytes that are not text.
    pub(crate) fn redacted_bytes(&self, mut bytes: Vec<u8>) -> Vec<u8> {
        for secret in self.0.iter().flat_map(Secret::spellings) {
            let found: Vec<usize> = memchr::memmem::find_iter(&bytes, secret.as_bytes()).collect();
            if found.is_empty() {
                continue;
            }
            let mut clean = Vec::with_capacity(bytes.len());
            let mut end = 0;
            for at in found {
                clean.extend_from_slice(&bytes[end..at]);
                clean.extend_from_slice(HIDDEN.as_bytes());
                end = at + secret.len();
            }
            clean.extend_from_slice(&bytes[end..]);
            bytes = clean;
        }
        bytes
    }

    /// Removes the secrets from an error.
    pub(super) fn redact_error(&self, error: Error) -> Error {
        let details = error.details().map(Value::to_string).unwrap_or_default();
        if self.redact_text(&error.chain()).is_none() && self.redact_text(&details).is_none() {
            return error;
        }
        // The source of the error may contain the key too, so only its text is kept.
        let text = error.chain();
        let clean = Error::new(error.kind(), self.redact_text(&text).unwrap_or(text))
            .with_retryable(error.is_retryable());
        match error.retry_after() {
            Some(wait) => clean.with_retry_after(wait),
            None => clean,
        }
    }
}

fn sensitive_names(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    headers.iter().filter(|(_, value)| value.is_sensitive()).filter_map(|(_, v)| v.to_str().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use genkit_core::ErrorKind;
    use reqwest::header::HeaderValue;
    use serde_json::json;
    use std::time::Duration;

    fn secrets() -> Secrets {
        let mut token = HeaderValue::from_static("Bearer abcdef-longer");
        token.set_sensitive(true);
        let added = HeaderMap::from_iter([(reqwest::header::AUTHORIZATION, token)]);
        Secrets::from_headers(
            &[("x-goog-api-key", "abcdef".into()), ("accept", "a/b-not-secret".into())],
            &added,
        )
    }

    #[test]
    fn key_is_redacted_at_any_position() {
        let secrets = secrets();
        let error = Error::new(ErrorKind::ResourceExhausted, "key abcdef of abcdef-longer")
            .with_retry_after(Duration::from_secs(1))
            .with_retryable(false);
        let clean = secrets.redact_error(error);
        assert_eq!(clean.to_string(), "key <KEY> of <KEY>");
        assert_eq!(clean.retry_after(), Some(Duration::from_secs(1)));
        assert!(!clean.is_retryable());
        let error = Error::not_found("x").with_details(json!({"a": "abcdef"}));
        assert!(secrets.redact_error(error).details().is_none());
        let error = Error::not_found("x").with_source(std::io::Error::other("abcdef"));
        assert_eq!(secrets.redact_error(error).chain(), "x: <KEY>");
        assert!(secrets.redact_text("nothing in it, a/b-not-secret").is_none());
    }

    #[test]
    fn key_in_the_query_of_a_base_url_is_hidden_in_every_spelling() {
        let base =
            Url::parse("https://a.b/v1?api-version=2026-01-01&sig=a%2Fb%20c%2Bd%22e").unwrap();
        let secrets = Secrets::from_headers(&[], &HeaderMap::new()).with_query(&base);
        for text in ["a/b c+d\"e", r#"a\/b c+d\"e"#, "a%2Fb%20c%2Bd%22e", "a%2Fb+c%2Bd%22e"] {
            assert_eq!(
                secrets.redact_text(&format!("<{text}>")).as_deref(),
                Some("<<KEY>>"),
                "{text}"
            );
        }
        assert!(secrets.redact_text("api-version=2026-01-01").is_none());
        let bytes = secrets.redacted_bytes(b"\xff a/b c+d\"e \xff a/b c+d\"e".to_vec());
        assert_eq!(bytes, b"\xff <KEY> \xff <KEY>");
    }

    #[test]
    fn parts_of_a_header_and_the_password_of_a_base_url_are_hidden() {
        let base = Url::parse("https://user:p%40ssword1@a.b/v1").unwrap();
        let header = ("authorization", "Basic dXNlcjpodW50ZXIyMg==".into());
        let secrets = Secrets::from_headers(&[header], &HeaderMap::new()).with_query(&base);
        for text in ["hunter22", "dXNlcjpodW50ZXIyMg==", "p@ssword1", "p%40ssword1"] {
            assert_eq!(secrets.redact_text(text).as_deref(), Some(HIDDEN), "{text}");
        }
    }

    #[test]
    fn common_word_is_not_a_secret() {
        let of = |key: &str| {
            Secrets::from_headers(&[("x-api-key", key.to_owned().into())], &HeaderMap::new())
        };
        assert!(of("12345").redact_text("12345").is_none());
        assert!(of("123456").redact_text("123456").is_some());
    }
}
