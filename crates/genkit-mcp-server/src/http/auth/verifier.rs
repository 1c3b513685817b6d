//! The trait that resolves a bearer token to its principal.

use std::future::Future;

use crate::principal::Principal;
use genkit_core::BoxFuture;

/// A token verifier, which resolves a bearer token to its [`Principal`]. Pass it to
/// `serve_mcp().authenticate(..)`. Closures implement it.
///
/// The verifier runs for each request over HTTP, before the body is read. It must check that the token was issued for
/// this server (its audience). If a server accepts the tokens of another server, that server can impersonate its users
/// (RFC 8707). `JwtVerifier` (feature `jwt`) performs this check.
///
/// ```
/// use genkit::mcp::server::{Principal, TokenError};
/// use std::collections::HashMap;
///
/// # fn main() -> genkit::Result<()> {
/// let keys = HashMap::from([("k-7f3a", "ada")]);
/// let server = genkit::serve_mcp().authenticate(move |token: String| {
///     let found = keys.get(token.as_str()).map(|id| Principal::new(*id));
///     async move { found.ok_or_else(|| TokenError::invalid("the key is unknown")) }
/// });
/// # let _ = server;
/// # Ok(())
/// # }
/// ```
pub trait TokenVerifier: Send + Sync + 'static {
    /// Verifies a token and returns its principal. The future is cancelled after 10 seconds, and the
    /// request is rejected with 503.
    ///
    /// # Errors
    /// Returns [`TokenError::Invalid`] if the token is not valid, and [`TokenError::Unavailable`] if it
    /// cannot be checked now.
    fn verify<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Principal, TokenError>>;
}

impl<F, Fut> TokenVerifier for F
where
    F: Fn(String) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Principal, TokenError>> + Send + 'static,
{
    fn verify<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Principal, TokenError>> {
        Box::pin(self(token.to_owned()))
    }
}

/// The reason why a [`TokenVerifier`] did not accept a token.
///
/// ```
/// use genkit::mcp::server::TokenError;
///
/// assert_eq!(TokenError::invalid("the token has expired").to_string(), "the token has expired");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The token is invalid: unknown, expired, or issued for another server. The client receives 401 with
    /// `invalid_token` and this reason.
    #[error("{0}")]
    Invalid(String),
    /// The verifier is unavailable, so the token cannot be checked now. The client receives 503; the reason
    /// is logged and not sent.
    #[error("{0}")]
    Unavailable(String),
}

impl TokenError {
    /// Creates an [`Invalid`](Self::Invalid) error. The client receives the reason.
    pub fn invalid(why: impl Into<String>) -> Self {
        Self::Invalid(why.into())
    }

    /// Creates an [`Unavailable`](Self::Unavailable) error. The reason is logged and not sent to the
    /// client.
    pub fn unavailable(why: impl Into<String>) -> Self {
        Self::Unavailable(why.into())
    }
}
