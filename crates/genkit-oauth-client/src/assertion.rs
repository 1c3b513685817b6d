//! Client assertions, which a program signs to authenticate itself (RFC 7523).

use serde_json::json;

use crate::error::Error;
use crate::key::{PrivateKey, fresh_id, unix_seconds};

/// How long an assertion is valid, in seconds. Default is 300.
const LIFETIME_SECS: u64 = 300;

/// A signer of client assertions: JWTs, signed with a private key, that authenticate a program.
///
/// ```no_run
/// use genkit_oauth_client::Signer;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let signer = Signer::from_es256_pem(&std::fs::read_to_string("key.pem")?)?;
/// let assertion = signer.sign_assertion("nightly-job", "https://auth.example.com")?;
/// # let _ = assertion;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Signer(PrivateKey);

impl Signer {
    /// Creates a signer for RSA with SHA-256. The key is PEM text, with 2,048 bits or more.
    ///
    /// ```
    /// let error = genkit_oauth_client::Signer::from_rs256_pem("no key").unwrap_err();
    /// assert!(error.to_string().contains("not PEM text"));
    /// ```
    ///
    /// # Errors
    /// Returns an error if the key is invalid. The error does not contain the key.
    pub fn from_rs256_pem(pem: &str) -> Result<Self, Error> {
        Ok(Self(PrivateKey::from_rsa_pem(pem)?))
    }

    /// Creates a signer for ECDSA on P-256 with SHA-256. The key is PEM text (PKCS#8).
    ///
    /// ```
    /// let error = genkit_oauth_client::Signer::from_es256_pem("no key").unwrap_err();
    /// assert!(error.to_string().contains("not PEM text"));
    /// ```
    ///
    /// # Errors
    /// Returns an error if the key is invalid. The error does not contain the key.
    pub fn from_es256_pem(pem: &str) -> Result<Self, Error> {
        Ok(Self(PrivateKey::from_ecdsa_pem(pem)?))
    }

    /// Signs an assertion that authenticates `client` to `audience`, issued now.
    ///
    /// ```no_run
    /// # fn example(signer: genkit_oauth_client::Signer) -> Result<(), genkit_oauth_client::Error> {
    /// let assertion = signer.sign_assertion("nightly-job", "https://auth.example.com")?;
    /// assert_eq!(assertion.split('.').count(), 3);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if the operating system provides no randomness.
    pub fn sign_assertion(&self, client: &str, audience: &str) -> Result<String, Error> {
        let now = unix_seconds();
        let header = json!({ "alg": self.0.algorithm(), "typ": "JWT" });
        let claims = json!({
            "iss": client,
            "sub": client,
            "aud": audience,
            "iat": now,
            "exp": now + LIFETIME_SECS,
            "jti": fresh_id()?,
        });
        self.0.sign_jwt(&header, &claims)
    }
}
