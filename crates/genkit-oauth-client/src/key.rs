//! Private keys: reading them from PEM text, and signing.

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::error::KeyRejected;
use ring::rand::{SecureRandom, SystemRandom};
use ring::rsa::KeyPair as RsaKeyPair;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, RSA_PKCS1_SHA256};
use serde_json::Value;

use crate::error::Error;

#[derive(Debug)]
pub(crate) enum PrivateKey {
    Rsa(Box<RsaKeyPair>),
    Ecdsa(Box<EcdsaKeyPair>),
}

impl PrivateKey {
    /// Reads a key of 2,048 bits or more.
    pub(crate) fn from_rsa_pem(pem: &str) -> Result<Self, Error> {
        let (label, der) = read(pem).ok_or(Error::NotPem)?;
        let key = match label.as_str() {
            "PRIVATE KEY" => RsaKeyPair::from_pkcs8(&der),
            "RSA PRIVATE KEY" => RsaKeyPair::from_der(&der),
            _ => return Err(Error::NotPkcs8(label)),
        };
        Ok(Self::Rsa(Box::new(key.map_err(|fault| key_error("RS256", fault))?)))
    }

    pub(crate) fn from_ecdsa_pem(pem: &str) -> Result<Self, Error> {
        Ok(Self::Ecdsa(Box::new(parse_ecdsa(pem)?)))
    }

    pub(crate) fn algorithm(&self) -> &'static str {
        match self {
            Self::Rsa(_) => "RS256",
            Self::Ecdsa(_) => "ES256",
        }
    }

    /// Creates a signed JWT with this header and these claims.
    pub(crate) fn sign_jwt(&self, header: &Value, claims: &Value) -> Result<String, Error> {
        match self {
            Self::Rsa(key) => {
                let text = encode_unsigned(header, claims);
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), text.as_bytes(), &mut signature)
                    .map_err(|_| Error::NoRandom)?;
                Ok(append_signature(text, &signature))
            }
            Self::Ecdsa(key) => ecdsa_jwt(key, header, claims),
        }
    }
}

/// Reads a key on P-256.
pub(crate) fn parse_ecdsa(pem: &str) -> Result<EcdsaKeyPair, Error> {
    let (label, der) = read(pem).ok_or(Error::NotPem)?;
    if label != "PRIVATE KEY" {
        return Err(Error::NotPkcs8(label));
    }
    parse_ecdsa_key(&der)
}

/// Generates a key on P-256.
pub(crate) fn new_ecdsa() -> Result<EcdsaKeyPair, Error> {
    let curve = &ECDSA_P256_SHA256_FIXED_SIGNING;
    let der = EcdsaKeyPair::generate_pkcs8(curve, &SystemRandom::new());
    parse_ecdsa_key(der.map_err(|_| Error::NoRandom)?.as_ref())
}

fn parse_ecdsa_key(der: &[u8]) -> Result<EcdsaKeyPair, Error> {
    let curve = &ECDSA_P256_SHA256_FIXED_SIGNING;
    EcdsaKeyPair::from_pkcs8(curve, der, &SystemRandom::new())
        .map_err(|fault| key_error("ES256", fault))
}

/// Creates a JWT signed by a P-256 key.
pub(crate) fn ecdsa_jwt(
    key: &EcdsaKeyPair,
    header: &Value,
    claims: &Value,
) -> Result<String, Error> {
    let text = encode_unsigned(header, claims);
    let signature = key.sign(&SystemRandom::new(), text.as_bytes()).map_err(|_| Error::NoRandom)?;
    Ok(append_signature(text, signature.as_ref()))
}

/// Returns a random, unique id.
pub(crate) fn fresh_id() -> Result<String, Error> {
    let mut id = [0; 16];
    SystemRandom::new().fill(&mut id).map_err(|_| Error::NoRandom)?;
    Ok(URL_SAFE_NO_PAD.encode(id))
}

/// Returns the seconds since the Unix epoch.
pub(crate) fn unix_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

fn encode_unsigned(header: &Value, claims: &Value) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    format!("{}.{}", part(header), part(claims))
}

fn append_signature(text: String, signature: &[u8]) -> String {
    text + "." + &URL_SAFE_NO_PAD.encode(signature)
}

fn key_error(algorithm: &'static str, fault: KeyRejected) -> Error {
    Error::InvalidKey { algorithm, fault: fault.to_string() }
}

/// Returns the label and the bytes of the first block of PEM text.
fn read(pem: &str) -> Option<(String, Vec<u8>)> {
    let (_, rest) = pem.split_once("-----BEGIN ")?;
    let (label, rest) = rest.split_once("-----")?;
    let (body, _) = rest.split_once("-----END ")?;
    let body: String = body.split_whitespace().collect();
    Some((label.to_owned(), STANDARD.decode(body).ok()?))
}
