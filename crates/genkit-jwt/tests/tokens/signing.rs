//! Signing keys, and tokens signed with them.

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::rsa::KeyPair as RsaKeyPair;
use ring::signature::{
    self, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RsaEncoding, RsaPublicKeyComponents,
};
use serde_json::{Value, json};

pub(crate) const ISSUER: &str = "https://login.example.com";
pub(crate) const AUDIENCE: &str = "https://mcp.example.com/mcp";

/// A key made for these tests; it is public.
const RSA: &[u8] = include_bytes!("rsa.pk8");

/// A signing key with an id.
pub(crate) struct Signer {
    pub(crate) id: String,
    pub(crate) algorithm: &'static str,
    key: Key,
}

enum Key {
    Rsa(RsaKeyPair),
    Ecdsa(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

impl Signer {
    pub(crate) fn new(id: &str, algorithm: &'static str) -> Self {
        let random = SystemRandom::new();
        let key = match algorithm {
            "ES256" => ecdsa(&signature::ECDSA_P256_SHA256_FIXED_SIGNING),
            "ES384" => ecdsa(&signature::ECDSA_P384_SHA384_FIXED_SIGNING),
            "EdDSA" => {
                let document = Ed25519KeyPair::generate_pkcs8(&random).expect("a key");
                Key::Ed25519(Ed25519KeyPair::from_pkcs8(document.as_ref()).expect("a key"))
            }
            _ => Key::Rsa(RsaKeyPair::from_pkcs8(RSA).expect("a key")),
        };
        Self { id: id.to_owned(), algorithm, key }
    }

    /// Returns the public key as the issuer publishes it.
    pub(crate) fn jwk(&self) -> Value {
        let mut key = match &self.key {
            Key::Rsa(key) => {
                let RsaPublicKeyComponents { n, e } = key.public().into();
                let (n, e): (Vec<u8>, Vec<u8>) = (n, e);
                json!({ "kty": "RSA", "n": encode(n), "e": encode(e) })
            }
            Key::Ecdsa(key) => {
                let point = &key.public_key().as_ref()[1..];
                let (x, y) = point.split_at(point.len() / 2);
                let curve = if x.len() == 32 { "P-256" } else { "P-384" };
                json!({ "kty": "EC", "crv": curve, "x": encode(x), "y": encode(y) })
            }
            Key::Ed25519(key) => {
                json!({ "kty": "OKP", "crv": "Ed25519", "x": encode(key.public_key()) })
            }
        };
        key["kid"] = json!(self.id);
        key["use"] = json!("sig");
        key
    }

    pub(crate) fn token(&self, claims: &Value) -> String {
        let header = json!({ "alg": self.algorithm, "typ": "at+jwt", "kid": self.id });
        self.signed(&header, claims)
    }

    pub(crate) fn signed(&self, header: &Value, claims: &Value) -> String {
        let message = format!("{}.{}", encode(header.to_string()), encode(claims.to_string()));
        let signed = self.sign(message.as_bytes());
        format!("{message}.{}", encode(signed))
    }

    fn sign(&self, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match &self.key {
            Key::Ecdsa(key) => key.sign(&random, message).expect("a signature").as_ref().to_vec(),
            Key::Ed25519(key) => key.sign(message).as_ref().to_vec(),
            Key::Rsa(key) => {
                let padding: &dyn RsaEncoding = match self.algorithm {
                    "RS256" => &signature::RSA_PKCS1_SHA256,
                    "RS384" => &signature::RSA_PKCS1_SHA384,
                    "RS512" => &signature::RSA_PKCS1_SHA512,
                    "PS256" => &signature::RSA_PSS_SHA256,
                    "PS384" => &signature::RSA_PSS_SHA384,
                    _ => &signature::RSA_PSS_SHA512,
                };
                let mut signed = vec![0; key.public().modulus_len()];
                key.sign(padding, &random, message, &mut signed).expect("a signature");
                signed
            }
        }
    }
}

fn ecdsa(algorithm: &'static signature::EcdsaSigningAlgorithm) -> Key {
    let random = SystemRandom::new();
    let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).expect("a key");
    Key::Ecdsa(EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).expect("a key"))
}

pub(crate) fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Returns the time `more` seconds from now, in seconds since the Unix epoch.
pub(crate) fn in_seconds(more: i64) -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time").as_secs();
    i64::try_from(now).expect("a time") + more
}

/// Returns the claims of a valid token.
pub(crate) fn claims() -> Value {
    json!({
        "iss": ISSUER, "aud": AUDIENCE, "sub": "ada", "client_id": "a client",
        "iat": in_seconds(0), "exp": in_seconds(300), "scope": "notes:read notes:write",
    })
}

/// Returns the claims of a valid token with these changes; `null` removes a claim.
pub(crate) fn with(others: &Value) -> Value {
    let mut claims = claims();
    for (name, claim) in others.as_object().expect("an object") {
        let map = claims.as_object_mut().expect("an object");
        map.remove(name);
        if !claim.is_null() {
            map.insert(name.clone(), claim.clone());
        }
    }
    claims
}
