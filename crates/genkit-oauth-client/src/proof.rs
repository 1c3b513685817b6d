//! DPoP: proofs that a program possesses the key that its tokens are bound to (RFC 9449).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::signature::{EcdsaKeyPair, KeyPair};
use serde_json::{Map, Value, json};

use crate::error::Error;
use crate::key::{ecdsa_jwt, fresh_id, new_ecdsa, parse_ecdsa, unix_seconds};

/// A DPoP key. Access tokens that are bound to it cannot be used without it.
///
/// ```
/// use genkit_oauth_client::DpopKey;
///
/// # fn main() -> Result<(), genkit_oauth_client::Error> {
/// let key = DpopKey::generate()?;
/// let at_the_token_endpoint = key.new_proof("POST", "https://auth.example.com/token").sign()?;
/// let at_the_server =
///     key.new_proof("GET", "https://mcp.example.com/mcp").access_token("its token").sign()?;
/// assert_ne!(at_the_token_endpoint, at_the_server);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct DpopKey {
    key: Box<EcdsaKeyPair>,
    /// The public key, as a JWK.
    jwk: Value,
}

impl DpopKey {
    /// Generates a key on P-256.
    ///
    /// ```
    /// assert!(genkit_oauth_client::DpopKey::generate().is_ok());
    /// ```
    ///
    /// # Errors
    /// Returns an error if the operating system provides no randomness.
    pub fn generate() -> Result<Self, Error> {
        Ok(Self::from_key(new_ecdsa()?))
    }

    /// Reads a key on P-256 from PEM text (PKCS#8).
    ///
    /// ```
    /// let error = genkit_oauth_client::DpopKey::from_es256_pem("no key").unwrap_err();
    /// assert!(error.to_string().contains("not PEM text"));
    /// ```
    ///
    /// # Errors
    /// Returns an error if the key is invalid. The error does not contain the key.
    pub fn from_es256_pem(pem: &str) -> Result<Self, Error> {
        Ok(Self::from_key(parse_ecdsa(pem)?))
    }

    fn from_key(key: EcdsaKeyPair) -> Self {
        // An uncompressed point: 4, x, y.
        let point = key.public_key().as_ref();
        let coordinate = |from: usize| URL_SAFE_NO_PAD.encode(&point[from..from + 32]);
        let jwk = json!({ "kty": "EC", "crv": "P-256", "x": coordinate(1), "y": coordinate(33) });
        Self { key: Box::new(key), jwk }
    }

    /// Prepares a proof for one request, to be signed with [`DpopProof::sign`]. The query and fragment of `url` are
    /// omitted.
    ///
    /// ```
    /// # fn main() -> Result<(), genkit_oauth_client::Error> {
    /// let key = genkit_oauth_client::DpopKey::generate()?;
    /// let proof = key.new_proof("POST", "https://auth.example.com/token").with_nonce("n1").sign()?;
    /// assert_eq!(proof.split('.').count(), 3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn new_proof(&self, method: &str, url: &str) -> DpopProof<'_> {
        let end = url.find(['?', '#']).unwrap_or(url.len());
        let mut claims = Map::new();
        claims.insert("htm".to_owned(), method.into());
        claims.insert("htu".to_owned(), url[..end].into());
        DpopProof { key: self, claims }
    }
}

/// An unsigned DPoP proof for one request.
///
/// ```
/// # fn main() -> Result<(), genkit_oauth_client::Error> {
/// let key = genkit_oauth_client::DpopKey::generate()?;
/// let proof = key.new_proof("GET", "https://mcp.example.com/mcp");
/// // The value of the header `DPoP`.
/// let value = proof.access_token("its token").with_nonce("that of the server").sign()?;
/// # let _ = value;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "a proof must be signed with `.sign()`"]
pub struct DpopProof<'a> {
    key: &'a DpopKey,
    claims: Map<String, Value>,
}

impl DpopProof<'_> {
    /// Sets the access token that is sent with the request; the proof contains only its hash.
    ///
    /// ```
    /// # let key = genkit_oauth_client::DpopKey::generate().unwrap();
    /// let proof = key.new_proof("GET", "https://mcp.example.com/mcp").access_token("its token");
    /// # let _ = proof;
    /// ```
    pub fn access_token(mut self, token: &str) -> Self {
        let hash = URL_SAFE_NO_PAD.encode(digest(&SHA256, token.as_bytes()));
        self.claims.insert("ath".to_owned(), hash.into());
        self
    }

    /// Sets the latest nonce from the server.
    ///
    /// ```
    /// # let key = genkit_oauth_client::DpopKey::generate().unwrap();
    /// let proof = key.new_proof("POST", "https://auth.example.com/token").with_nonce("n1");
    /// # let _ = proof;
    /// ```
    pub fn with_nonce(mut self, nonce: &str) -> Self {
        self.claims.insert("nonce".to_owned(), nonce.into());
        self
    }

    /// Signs the proof with the current time and a new id; it is valid for one request.
    ///
    /// ```
    /// # let key = genkit_oauth_client::DpopKey::generate().unwrap();
    /// let sign = || key.new_proof("POST", "https://auth.example.com/token").sign();
    /// assert_ne!(sign().unwrap(), sign().unwrap());
    /// ```
    ///
    /// # Errors
    /// Returns an error if the operating system provides no randomness.
    pub fn sign(self) -> Result<String, Error> {
        let Self { key, mut claims } = self;
        claims.insert("iat".to_owned(), unix_seconds().into());
        claims.insert("jti".to_owned(), fresh_id()?.into());
        let header = json!({ "alg": "ES256", "typ": "dpop+jwt", "jwk": key.jwk });
        ecdsa_jwt(&key.key, &header, &Value::Object(claims))
    }
}
