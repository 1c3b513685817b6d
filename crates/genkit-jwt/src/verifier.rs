//! Verifies access tokens that are JWTs.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::algorithm::JwtAlgorithm;
use crate::claims::ExpectedClaims;
use crate::error::VerifyError;
use crate::jwk::KeySet;
use crate::keys::IssuerKeys;
use crate::token::UnverifiedToken;
use genkit_core::BoxFuture;
use genkit_mcp_server::{Principal, TokenError, TokenVerifier};

/// The maximum number of keys that are tried if the token has no key id.
const MAX_TRIES: usize = 4;

/// A verifier of access tokens that are JWTs (RFC 9068) of one issuer. Pass it to
/// `serve_mcp().authenticate(..)`.
///
/// A token is accepted if it is signed with a key that the issuer publishes and with an allowed
/// algorithm, was issued by that issuer for this server, is currently valid, and has a subject. The
/// [`Principal`] has the subject as its id, the scopes in `scope` (or `scp`), and all claims of the
/// token. Other types of tokens, tokens without an expiry, and tokens that are bound to a client key
/// are rejected.
///
/// Keys are fetched for the first token, then in the background every 10 minutes while they are used,
/// and when a token has an unknown key id, at most every 10 seconds. If the issuer does not respond,
/// the delay between attempts grows to one minute, and its keys remain in use for up to an hour. While
/// no keys are available, requests are rejected with 503.
///
/// ```no_run
/// use genkit::mcp::server::{JwtVerifier, ProtectedResource};
///
/// # async fn run() -> genkit::Result<()> {
/// let (issuer, resource) = ("https://login.example.com", "https://mcp.example.com/mcp");
/// genkit::serve_mcp()
///     .http("0.0.0.0:8000")
///     .allowed_hosts(["mcp.example.com"])
///     .authenticate(JwtVerifier::builder(issuer, resource).build()?)
///     .protected_resource(ProtectedResource::new(resource).with_authorization_server(issuer))
///     .await
/// # }
/// ```
pub struct JwtVerifier {
    pub(crate) algorithms: Vec<JwtAlgorithm>,
    pub(crate) expected: ExpectedClaims,
    pub(crate) keys: IssuerKeys,
}

impl JwtVerifier {
    async fn check_token(&self, token: &str) -> Result<Principal, TokenError> {
        let unverified = UnverifiedToken::read(token, &self.algorithms).map_err(invalid_token)?;
        let known = self.keys.current_keys().await;
        let known = known.map_err(|fault| TokenError::unavailable(fault.to_string()))?;
        match verify_with_keys(&known, &unverified) {
            Err(VerifyError::UnknownKey) => match self.keys.refresh_for_unknown_key(&known).await {
                Some(others) => verify_with_keys(&others, &unverified),
                None => Err(VerifyError::UnknownKey),
            },
            checked => checked,
        }
        .map_err(invalid_token)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        let claims = unverified.parse_claims().map_err(invalid_token)?;
        self.expected.to_principal(claims, now).map_err(invalid_token)
    }
}

impl TokenVerifier for JwtVerifier {
    fn verify<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Principal, TokenError>> {
        Box::pin(self.check_token(token))
    }
}

impl fmt::Debug for JwtVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("JwtVerifier");
        shown.field("algorithms", &self.algorithms).field("expected", &self.expected);
        shown.finish_non_exhaustive()
    }
}

/// Verifies the signature with the matching keys of the set.
fn verify_with_keys(keys: &KeySet, token: &UnverifiedToken<'_>) -> Result<(), VerifyError> {
    let fitting = keys.find_keys(token.algorithm, token.key_id.as_deref()).take(MAX_TRIES);
    let mut fault = VerifyError::UnknownKey;
    for key in fitting {
        match key.verify_signature(token.algorithm, token.signed.as_bytes(), &token.signature) {
            Ok(()) => return Ok(()),
            Err(why) => fault = why,
        }
    }
    // Without a key id, an invalid signature could also come from a new key.
    Err(if token.key_id.is_none() { VerifyError::UnknownKey } else { fault })
}

fn invalid_token(fault: VerifyError) -> TokenError {
    TokenError::invalid(fault.to_string())
}
