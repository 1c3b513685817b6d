//! Client assertions: what a program signs to show who it is (RFC 7523).

use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::{SecureRandom, SystemRandom};
use ring::rsa::KeyPair as RsaKeyPair;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, RSA_PKCS1_SHA256};
use serde_json::json;

use super::credentials::now;
use super::error::Error;
use crate::error;

/// How long what was signed holds, in seconds. Default is 300.
const LIFETIME_SECS: u64 = 300;

/// What a private key signs with.
///
/// ```
/// use genkit::mcp::SigningAlgorithm;
///
/// assert_eq!("ES256".parse::<SigningAlgorithm>()?, SigningAlgorithm::Es256);
/// # Ok::<(), genkit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SigningAlgorithm {
    /// RSA with SHA-256, for a key of 2,048 bits or more.
    Rs256,
    /// ECDSA on P-256 with SHA-256.
    Es256,
}

impl SigningAlgorithm {
    fn name(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Es256 => "ES256",
        }
    }
}

impl FromStr for SigningAlgorithm {
    type Err = error::Error;

    fn from_str(text: &str) -> error::Result<Self> {
        match text {
            "RS256" => Ok(Self::Rs256),
            "ES256" => Ok(Self::Es256),
            other => Err(Error::UnknownAlgorithm(other.to_owned()).into()),
        }
    }
}

/// A private key that can sign.
pub(crate) enum Signer {
    Rs256(Box<RsaKeyPair>),
    Es256(Box<EcdsaKeyPair>),
}

impl Signer {
    pub(super) fn new(pem: &str, algorithm: SigningAlgorithm) -> Result<Self, Error> {
        let (label, der) = read(pem).ok_or(Error::NoPem)?;
        let curve = &ECDSA_P256_SHA256_FIXED_SIGNING;
        match (algorithm, label.as_str()) {
            (SigningAlgorithm::Rs256, "PRIVATE KEY") => {
                RsaKeyPair::from_pkcs8(&der).map(Box::new).map(Self::Rs256)
            }
            (SigningAlgorithm::Rs256, "RSA PRIVATE KEY") => {
                RsaKeyPair::from_der(&der).map(Box::new).map(Self::Rs256)
            }
            (SigningAlgorithm::Es256, "PRIVATE KEY") => {
                let key = EcdsaKeyPair::from_pkcs8(curve, &der, &SystemRandom::new());
                key.map(Box::new).map(Self::Es256)
            }
            (_, label) => return Err(Error::NoPkcs8(label.to_owned())),
        }
        .map_err(|fault| Error::UnfitKey { algorithm: algorithm.name(), fault })
    }

    /// The claims of `client` for `audience` now, signed.
    pub(super) fn assertion(&self, client: &str, audience: &str) -> Result<String, Error> {
        let now = now();
        let random = SystemRandom::new();
        let mut id = [0; 16];
        random.fill(&mut id).map_err(|_| Error::NoRandom)?;
        let algorithm = match self {
            Self::Rs256(_) => SigningAlgorithm::Rs256,
            Self::Es256(_) => SigningAlgorithm::Es256,
        };
        let header = json!({ "alg": algorithm.name(), "typ": "JWT" });
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
        let signature = match self {
            Self::Rs256(key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &random, text.as_bytes(), &mut signature)
                    .map_err(|_| Error::NoRandom)?;
                signature
            }
            Self::Es256(key) => {
                key.sign(&random, text.as_bytes()).map_err(|_| Error::NoRandom)?.as_ref().to_vec()
            }
        };
        Ok(format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}

/// The label and the bytes of the first block of PEM text.
fn read(pem: &str) -> Option<(String, Vec<u8>)> {
    let (_, rest) = pem.split_once("-----BEGIN ")?;
    let (label, rest) = rest.split_once("-----")?;
    let (body, _) = rest.split_once("-----END ")?;
    let body: String = body.split_whitespace().collect();
    Some((label.to_owned(), STANDARD.decode(body).ok()?))
}
