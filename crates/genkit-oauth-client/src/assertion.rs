//! Client assertions: what a program signs to show who it is (RFC 7523).

use serde_json::json;

use crate::error::Error;
use crate::key::{PrivateKey, fresh_id, now};

/// How long what was signed holds, in seconds. Default is 300.
const LIFETIME_SECS: u64 = 300;

/// Client assertion: a private key signs who a program is, as a JWT.
///
/// ```no_run
/// use genkit_oauth_client::Signer;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let signer = Signer::es256(&std::fs::read_to_string("key.pem")?)?;
/// let assertion = signer.assertion("nightly-job", "https://auth.example.com")?;
/// # let _ = assertion;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Signer(PrivateKey);

impl Signer {
    /// Signs with RSA and SHA-256; the key is PEM text of 2,048 bits or more.
    ///
    /// ```
    /// let error = genkit_oauth_client::Signer::rs256("no key").unwrap_err();
    /// assert!(error.to_string().contains("no PEM text"));
    /// ```
    ///
    /// # Errors
    /// The key cannot be used; it is not repeated.
    pub fn rs256(pem: &str) -> Result<Self, Error> {
        Ok(Self(PrivateKey::rsa(pem)?))
    }

    /// Signs with ECDSA on P-256 and SHA-256; the key is PEM text, PKCS#8.
    ///
    /// ```
    /// let error = genkit_oauth_client::Signer::es256("no key").unwrap_err();
    /// assert!(error.to_string().contains("no PEM text"));
    /// ```
    ///
    /// # Errors
    /// The key cannot be used; it is not repeated.
    pub fn es256(pem: &str) -> Result<Self, Error> {
        Ok(Self(PrivateKey::ecdsa(pem)?))
    }

    /// The claims of `client` for `audience` now, signed.
    ///
    /// ```no_run
    /// # fn example(signer: genkit_oauth_client::Signer) -> Result<(), genkit_oauth_client::Error> {
    /// let assertion = signer.assertion("nightly-job", "https://auth.example.com")?;
    /// assert_eq!(assertion.split('.').count(), 3);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The machine gives no random numbers.
    pub fn assertion(&self, client: &str, audience: &str) -> Result<String, Error> {
        let now = now();
        let header = json!({ "alg": self.0.algorithm(), "typ": "JWT" });
        let claims = json!({
            "iss": client,
            "sub": client,
            "aud": audience,
            "iat": now,
            "exp": now + LIFETIME_SECS,
            "jti": fresh_id()?,
        });
        self.0.jwt(&header, &claims)
    }
}
