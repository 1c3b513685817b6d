//! What decides whose a token is.

use std::future::Future;

use crate::principal::Principal;
use genkit_core::BoxFuture;

/// Token verifier: decides whose a bearer token is: `serve_mcp().authenticate(verifier)`.
///
/// It is asked for each request over HTTP, before anything of its body is read. A closure is one, too.
/// It must check that the token was made for this server (its audience), since a token for another
/// server that is taken here makes of every server an attacker of all others (RFC 8707, MCP's
/// authorization). With the feature `jwt`, `JwtVerifier` does.
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
    /// Verifies a token: the principal that it stands for. It has 10 seconds.
    ///
    /// # Errors
    /// The token is not taken, or cannot be checked now.
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

/// Token error: why a token is not taken.
///
/// ```
/// use genkit::mcp::server::TokenError;
///
/// assert_eq!(TokenError::invalid("the token has expired").to_string(), "the token has expired");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// Invalid: it is none of this server's, or no longer: 401 with `invalid_token`. The client
    /// reads why.
    #[error("{0}")]
    Invalid(String),
    /// Unavailable: it cannot be checked now: 503. The text goes to the log, and not to the client.
    #[error("{0}")]
    Unavailable(String),
}

impl TokenError {
    /// Invalid token, for this reason, which the client reads.
    pub fn invalid(why: impl Into<String>) -> Self {
        Self::Invalid(why.into())
    }

    /// Unavailable check of the token, for this reason, which the log gets.
    pub fn unavailable(why: impl Into<String>) -> Self {
        Self::Unavailable(why.into())
    }
}
