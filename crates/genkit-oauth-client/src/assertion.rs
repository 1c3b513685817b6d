//! Client assertions: what a program signs to show who it is (RFC 7523).

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::error::KeyRejected;
use ring::rand::{SecureRandom, SystemRandom};
use ring::rsa::KeyPair as RsaKeyPair;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, RSA_PKCS1_SHA256};
use serde_json::json;

use crate::error::Error;

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

#[derive(Debug)]
enum PrivateKey {
    Rsa(Box<RsaKeyPair>),
    Ecdsa(Box<EcdsaKeyPair>),
}

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
        let (label, der) = read(pem).ok_or(Error::NoPem)?;
        let key = match label.as_str() {
            "PRIVATE KEY" => RsaKeyPair::from_pkcs8(&der),
            "RSA PRIVATE KEY" => RsaKeyPair::from_der(&der),
            _ => return Err(Error::NoPkcs8(label)),
        };
        Ok(Self(PrivateKey::Rsa(Box::new(key.map_err(|fault| unfit("RS256", fault))?))))
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
        let (label, der) = read(pem).ok_or(Error::NoPem)?;
        if label != "PRIVATE KEY" {
            return Err(Error::NoPkcs8(label));
        }
        let curve = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let key = EcdsaKeyPair::from_pkcs8(curve, &der, &SystemRandom::new());
        Ok(Self(PrivateKey::Ecdsa(Box::new(key.map_err(|fault| unfit("ES256", fault))?))))
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
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let random = SystemRandom::new();
        let mut id = [0; 16];
        random.fill(&mut id).map_err(|_| Error::NoRandom)?;
        let algorithm = match &self.0 {
            PrivateKey::Rsa(_) => "RS256",
            PrivateKey::Ecdsa(_) => "ES256",
        };
        let header = json!({ "alg": algorithm, "typ": "JWT" });
        let claims = json!({
            "iss": client,
            "sub": client,
            "aud": audience,
            "iat": now,
            "exp": now + LIFETIME_SECS,
            "jti": URL_SAFE_NO_PAD.encode(id),
        });
        let part = |value: &serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let text = format!("{}.{}", part(&header), part(&claims));
        let signature = match &self.0 {
            PrivateKey::Rsa(key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &random, text.as_bytes(), &mut signature)
                    .map_err(|_| Error::NoRandom)?;
                signature
            }
            PrivateKey::Ecdsa(key) => {
                key.sign(&random, text.as_bytes()).map_err(|_| Error::NoRandom)?.as_ref().to_vec()
            }
        };
        Ok(format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}

fn unfit(algorithm: &'static str, fault: KeyRejected) -> Error {
    Error::UnfitKey { algorithm, fault: fault.to_string() }
}

/// The label and the bytes of the first block of PEM text.
fn read(pem: &str) -> Option<(String, Vec<u8>)> {
    let (_, rest) = pem.split_once("-----BEGIN ")?;
    let (label, rest) = rest.split_once("-----")?;
    let (body, _) = rest.split_once("-----END ")?;
    let body: String = body.split_whitespace().collect();
    Some((label.to_owned(), STANDARD.decode(body).ok()?))
}
