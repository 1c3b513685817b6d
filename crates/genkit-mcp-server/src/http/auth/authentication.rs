//! Resolves the `Authorization` header of a request to the principal that sent it.

use std::sync::Arc;
use std::time::Duration;

use http::HeaderMap;
use http::header::AUTHORIZATION;

use super::verifier::{TokenError, TokenVerifier};
use crate::principal::Principal;
use genkit_core::internal::visible::Logged;
use genkit_core::internal::warnings::WarningBudget;
use genkit_http_server::internal::matches_secret;

/// The time limit for verifying one token. Default is 10 seconds.
const VERIFY_TIMEOUT: Duration = Duration::from_secs(10);

/// The maximum length of a token, in bytes.
const MAX_TOKEN: usize = 16 * 1024;

/// The authentication that every request requires.
#[derive(Clone, Default)]
pub(crate) enum Authentication {
    /// No authentication. A layer before the server can still provide a principal.
    #[default]
    Nothing,
    /// A token that all clients share, so that they cannot be distinguished.
    SharedToken(Arc<str>),
    Verifier(Arc<dyn TokenVerifier>),
}

/// The reason why a request is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AuthError {
    #[error("Unauthorized: a bearer token is required")]
    Missing,
    #[error(
        "Bad Request: `Authorization` must be a single header with the scheme `Bearer` and a token"
    )]
    Malformed,
    #[error("Unauthorized: {0}")]
    Invalid(String),
    #[error("Forbidden: the token lacks a scope that every request requires")]
    Scope,
    #[error("the token cannot be checked now; try again later")]
    Unavailable,
}

impl Authentication {
    pub(crate) fn is_required(&self) -> bool {
        !matches!(self, Self::Nothing)
    }

    /// Returns the principal of a request, or `None` if the token does not identify a principal.
    pub(crate) async fn verify_request(
        &self,
        headers: &HeaderMap,
    ) -> Result<Option<Principal>, AuthError> {
        match self {
            Self::Nothing => Ok(None),
            Self::SharedToken(token) => {
                let given = read_token(headers)?;
                let is_it = matches_secret(given.as_bytes(), token.as_bytes());
                is_it
                    .then_some(None)
                    .ok_or_else(|| AuthError::Invalid("the token does not match".to_owned()))
            }
            Self::Verifier(verifier) => {
                let token = read_token(headers)?;
                if token.len() > MAX_TOKEN || !is_token(token) {
                    return Err(AuthError::Malformed);
                }
                verify_token(&**verifier, token).await.map(Some)
            }
        }
    }
}

async fn verify_token(verifier: &dyn TokenVerifier, token: &str) -> Result<Principal, AuthError> {
    match tokio::time::timeout(VERIFY_TIMEOUT, verifier.verify(token)).await {
        // An empty id is the key of all anonymous clients, so this principal would share their
        // quota and sessions.
        Ok(Ok(principal)) if principal.id().is_empty() => {
            Err(AuthError::Invalid("the token does not identify a principal".to_owned()))
        }
        Ok(Ok(principal)) => Ok(principal),
        Ok(Err(TokenError::Invalid(why))) => Err(AuthError::Invalid(why)),
        Ok(Err(TokenError::Unavailable(why))) => Err(unavailable_error(&why)),
        Err(_) => Err(unavailable_error("the token verifier timed out")),
    }
}

/// Logs why a token cannot be verified.
fn unavailable_error(why: &str) -> AuthError {
    static WARNINGS: WarningBudget = WarningBudget::new();
    if let Some(warnings) = WARNINGS.count_warning() {
        tracing::error!(warnings, why = %Logged::text(why), "a token cannot be verified");
    }
    AuthError::Unavailable
}

/// Returns the token after `Bearer`.
fn read_token(headers: &HeaderMap) -> Result<&str, AuthError> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = values.next().ok_or(AuthError::Missing)?;
    // A proxy might have checked the other header.
    if values.next().is_some() {
        return Err(AuthError::Malformed);
    }
    let value = value.to_str().map_err(|_| AuthError::Malformed)?;
    let (scheme, token) = value.split_once(' ').unwrap_or((value, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Err(AuthError::Missing);
    }
    let token = token.trim();
    if token.is_empty() { Err(AuthError::Malformed) } else { Ok(token) }
}

/// Returns whether `token` is a `b64token` of RFC 6750, section 2.1.
fn is_token(token: &str) -> bool {
    let text = token.trim_end_matches('=');
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn headers(values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_str(value).expect("a value"));
        }
        headers
    }

    #[tokio::test]
    async fn shared_token_is_compared_whole() {
        let shared = Authentication::SharedToken("secret".into());
        let wrong = || Err(AuthError::Invalid("the token does not match".to_owned()));
        for (given, admitted) in [
            (&["Bearer secret"][..], Ok(None)),
            (&["bearer secret"], Ok(None)),
            (&["Bearer secre"], wrong()),
            (&["Bearer secrets"], wrong()),
            (&["Basic secret"], Err(AuthError::Missing)),
            (&["Bearer"], Err(AuthError::Malformed)),
            (&["Bearer secret", "Bearer secret"], Err(AuthError::Malformed)),
            (&[], Err(AuthError::Missing)),
        ] {
            assert_eq!(shared.verify_request(&headers(given)).await, admitted, "{given:?}");
        }
        assert_eq!(Authentication::Nothing.verify_request(&headers(&[])).await, Ok(None));
        let empty = Authentication::SharedToken("".into());
        assert!(empty.verify_request(&headers(&["Bearer "])).await.is_err());
    }

    #[tokio::test]
    async fn verifier_sees_tokens_and_nothing_else() {
        let echo = |token: String| async move {
            match token.as_str() {
                "nobody" => Ok(Principal::new("")),
                "down" => Err(TokenError::unavailable("db-7 is down")),
                "bad" => Err(TokenError::invalid("it is bad")),
                _ => Ok(Principal::new(token)),
            }
        };
        let verifier = Authentication::Verifier(Arc::new(echo));
        let long = format!("Bearer {}", "a".repeat(MAX_TOKEN + 1));
        for (given, admitted) in [
            ("Bearer ada", Ok(Some(Principal::new("ada")))),
            ("bEARER a.b-c_d~e+f/g==", Ok(Some(Principal::new("a.b-c_d~e+f/g==")))),
            ("Bearer a b", Err(AuthError::Malformed)),
            ("Bearer a\"b", Err(AuthError::Malformed)),
            ("Bearer ==", Err(AuthError::Malformed)),
            (&long, Err(AuthError::Malformed)),
            ("Digest ada", Err(AuthError::Missing)),
            (
                "Bearer nobody",
                Err(AuthError::Invalid("the token does not identify a principal".to_owned())),
            ),
            ("Bearer bad", Err(AuthError::Invalid("it is bad".to_owned()))),
            ("Bearer down", Err(AuthError::Unavailable)),
        ] {
            assert_eq!(verifier.verify_request(&headers(&[given])).await, admitted, "{given:.40}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn verifier_that_hangs_is_not_waited_for() {
        let hangs = |_: String| std::future::pending::<Result<Principal, TokenError>>();
        let verifier = Authentication::Verifier(Arc::new(hangs));
        assert_eq!(
            verifier.verify_request(&headers(&["Bearer x"])).await,
            Err(AuthError::Unavailable)
        );
    }
}
