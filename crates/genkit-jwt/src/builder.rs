//! The builder of a JWT verifier.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::algorithm::JwtAlgorithm;
use crate::claims::ExpectedClaims;
use crate::error::KeyError;
use crate::fetch::{FetchUrl, key_url};
use crate::jwk::KeySet;
use crate::keys::IssuerKeys;
use crate::verifier::JwtVerifier;
use genkit_core::Result;

/// The tolerated clock skew. Default is 60 seconds.
const LEEWAY: Duration = Duration::from_secs(60);

impl JwtVerifier {
    /// Creates a builder for a verifier of the tokens that `issuer` issued for `audience`.
    ///
    /// `issuer` is the issuer identifier of your authorization server. `audience` is the URL that clients
    /// use for this server, or the value that your authorization server writes to `aud`.
    pub fn builder(issuer: impl Into<String>, audience: impl Into<String>) -> JwtVerifierBuilder {
        JwtVerifierBuilder::new(issuer.into(), audience.into())
    }
}

/// A builder for a [`JwtVerifier`].
///
/// ```
/// use genkit::mcp::server::{JwtAlgorithm, JwtVerifier};
/// use std::time::Duration;
///
/// # fn main() -> genkit::Result<()> {
/// let verifier = JwtVerifier::builder("https://login.example.com", "https://mcp.example.com/mcp")
///     .audience("api://notes") // also accepted
///     .algorithms([JwtAlgorithm::Es256])
///     .jwks_url("https://login.example.com/keys")
///     .leeway(Duration::from_secs(10))
///     .build()?;
/// # let _ = verifier;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until `.build()`"]
pub struct JwtVerifierBuilder {
    algorithms: Vec<JwtAlgorithm>,
    expected: ExpectedClaims,
    keys: KeySource,
}

#[derive(Clone, Debug)]
enum KeySource {
    Issuer,
    Url(String),
    Given(Value),
}

impl JwtVerifierBuilder {
    pub(crate) fn new(issuer: String, audience: String) -> Self {
        let expected = ExpectedClaims { issuer, audiences: vec![audience], leeway: LEEWAY };
        Self { algorithms: JwtAlgorithm::DEFAULTS.to_vec(), expected, keys: KeySource::Issuer }
    }

    /// Adds an accepted audience.
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.expected.audiences.push(audience.into());
        self
    }

    /// Sets the algorithms that tokens can be signed with. Default is RS256, PS256, ES256 and EdDSA.
    pub fn algorithms(mut self, algorithms: impl IntoIterator<Item = JwtAlgorithm>) -> Self {
        self.algorithms = algorithms.into_iter().collect();
        self
    }

    /// Sets the JWKS URL, where the issuer publishes its keys. Default is the `jwks_uri` in the metadata of
    /// the issuer (RFC 8414 or OpenID Connect Discovery).
    pub fn jwks_url(mut self, url: impl Into<String>) -> Self {
        self.keys = KeySource::Url(url.into());
        self
    }

    /// Sets the keys, as a JWK set (RFC 7517), instead of fetching them.
    pub fn jwks(mut self, set: Value) -> Self {
        self.keys = KeySource::Given(set);
        self
    }

    /// Sets the leeway: the clock skew that is tolerated for `exp`, `nbf` and `iat`. Default is 60 seconds.
    pub fn leeway(mut self, leeway: Duration) -> Self {
        self.expected.leeway = leeway;
        self
    }

    /// Builds the verifier. Nothing is fetched until the first token arrives.
    ///
    /// # Errors
    /// Returns [`InvalidArgument`](genkit_core::ErrorKind::InvalidArgument) if a URL is neither an
    /// `https://` URL nor on loopback, if the JWK set is invalid, or if no algorithm is allowed.
    pub fn build(self) -> Result<JwtVerifier> {
        let Self { algorithms, expected, keys } = self;
        if algorithms.is_empty() {
            return Err(KeyError::EmptyAlgorithms.into());
        }
        let keys = match keys {
            KeySource::Given(set) => IssuerKeys::Fixed(Arc::new(KeySet::read(&set)?)),
            KeySource::Url(url) => IssuerKeys::fetched(FetchUrl::Jwks(key_url(&url)?)),
            KeySource::Issuer => {
                let (issuer, url) = (expected.issuer.clone(), key_url(&expected.issuer)?);
                IssuerKeys::fetched(FetchUrl::Issuer { issuer, url })
            }
        };
        Ok(JwtVerifier { algorithms, expected, keys })
    }
}
