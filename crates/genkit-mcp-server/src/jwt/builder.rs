//! The builder of a verifier.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::algorithm::JwtAlgorithm;
use super::claims::Expected;
use super::error::KeyFault;
use super::fetch::{KeyAddress, key_url};
use super::jwk::KeySet;
use super::keys::IssuerKeys;
use super::verifier::JwtVerifier;
use genkit_core::Result;

/// By how much clocks may differ. Default is 60 seconds.
const LEEWAY: Duration = Duration::from_secs(60);

impl JwtVerifier {
    /// Builder of a verifier of tokens from `issuer`, its issuer identifier, for `audience`: the address of
    /// this server as clients know it, or what your authorization server writes into `aud` for it.
    pub fn builder(issuer: impl Into<String>, audience: impl Into<String>) -> JwtVerifierBuilder {
        JwtVerifierBuilder::new(issuer.into(), audience.into())
    }
}

/// Builder of a [`JwtVerifier`].
///
/// ```
/// use genkit::mcp::server::{JwtAlgorithm, JwtVerifier};
/// use std::time::Duration;
///
/// # fn main() -> genkit::Result<()> {
/// let verifier = JwtVerifier::builder("https://login.example.com", "https://mcp.example.com/mcp")
///     .audience("api://notes") // or this one
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
    expected: Expected,
    keys: KeySource,
}

#[derive(Clone, Debug)]
enum KeySource {
    Issuer,
    Url(String),
    Given(Value),
}

impl JwtVerifierBuilder {
    pub(super) fn new(issuer: String, audience: String) -> Self {
        let expected = Expected { issuer, audiences: vec![audience], leeway: LEEWAY };
        Self { algorithms: JwtAlgorithm::USUAL.to_vec(), expected, keys: KeySource::Issuer }
    }

    /// Audience: one more that tokens may be for.
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.expected.audiences.push(audience.into());
        self
    }

    /// Algorithms that tokens may be signed by. Default is RS256, PS256, ES256 and EdDSA.
    pub fn algorithms(mut self, algorithms: impl IntoIterator<Item = JwtAlgorithm>) -> Self {
        self.algorithms = algorithms.into_iter().collect();
        self
    }

    /// JWKS URL: where the issuer publishes its keys. Default is to read that in its metadata (RFC 8414,
    /// or OpenID Connect Discovery).
    pub fn jwks_url(mut self, url: impl Into<String>) -> Self {
        self.keys = KeySource::Url(url.into());
        self
    }

    /// JWK set (RFC 7517), the keys themselves: nothing is fetched.
    pub fn jwks(mut self, set: Value) -> Self {
        self.keys = KeySource::Given(set);
        self
    }

    /// Leeway: by how much clocks may differ, for `exp`, `nbf` and `iat`. Default is 60 seconds.
    pub fn leeway(mut self, leeway: Duration) -> Self {
        self.expected.leeway = leeway;
        self
    }

    /// The verifier. Nothing is fetched yet.
    ///
    /// # Errors
    /// [`InvalidArgument`](genkit_core::ErrorKind::InvalidArgument) for an address that is neither `https://` nor
    /// on this machine, a set that is none, or no algorithm.
    pub fn build(self) -> Result<JwtVerifier> {
        let Self { algorithms, expected, keys } = self;
        if algorithms.is_empty() {
            return Err(KeyFault::NoAlgorithms.into());
        }
        let keys = match keys {
            KeySource::Given(set) => IssuerKeys::Fixed(Arc::new(KeySet::read(&set)?)),
            KeySource::Url(url) => IssuerKeys::fetched(KeyAddress::Jwks(key_url(&url)?)),
            KeySource::Issuer => {
                let (issuer, url) = (expected.issuer.clone(), key_url(&expected.issuer)?);
                IssuerKeys::fetched(KeyAddress::Issuer { issuer, url })
            }
        };
        Ok(JwtVerifier { algorithms, expected, keys })
    }
}
