//! Tests of client assertions.

#![allow(clippy::unwrap_used, reason = "a panic shows where a test failed")]

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use genkit_oauth_client::Signer;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair,
    RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey,
};
use serde_json::Value;

/// A key that is used only in this test.
const RSA: &str = include_str!("rsa.txt");

fn pem(der: &str) -> String {
    format!("-----BEGIN PRIVATE KEY-----\n{der}\n-----END PRIVATE KEY-----\n")
}

fn ecdsa() -> (String, Vec<u8>) {
    let (curve, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
    let der = EcdsaKeyPair::generate_pkcs8(curve, &random).unwrap();
    let key = EcdsaKeyPair::from_pkcs8(curve, der.as_ref(), &random).unwrap();
    (pem(&STANDARD.encode(der.as_ref())), key.public_key().as_ref().to_vec())
}

/// Returns the claims of a JWT if its signature is valid.
fn verified(
    token: &str,
    algorithm: &'static dyn ring::signature::VerificationAlgorithm,
    public: &[u8],
) -> Value {
    let (text, signature) = token.rsplit_once('.').unwrap();
    let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
    UnparsedPublicKey::new(algorithm, public).verify(text.as_bytes(), &signature).unwrap();
    let (_, claims) = text.split_once('.').unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).unwrap()).unwrap()
}

#[test]
fn assertion_is_verifiable_and_names_issuer_and_audience() {
    let (key, public) = ecdsa();
    let signer = Signer::from_es256_pem(&key).unwrap();
    let token = signer.sign_assertion("me", "https://auth.example.com").unwrap();
    let claims = verified(&token, &ECDSA_P256_SHA256_FIXED, &public);
    assert_eq!(claims["iss"], "me");
    assert_eq!(claims["sub"], "me");
    assert_eq!(claims["aud"], "https://auth.example.com");
    assert_eq!(claims["exp"].as_u64().unwrap() - claims["iat"].as_u64().unwrap(), 300);
    assert_ne!(token, signer.sign_assertion("me", "https://auth.example.com").unwrap());

    let key = ring::rsa::KeyPair::from_pkcs8(&STANDARD.decode(RSA.replace('\n', "")).unwrap());
    let public = key.unwrap().public_key().as_ref().to_vec();
    let signer = Signer::from_rs256_pem(&pem(RSA)).unwrap();
    let token = signer.sign_assertion("me", "aud").unwrap();
    assert_eq!(verified(&token, &RSA_PKCS1_2048_8192_SHA256, &public)["sub"], "me");
}

#[test]
fn invalid_key_error_states_the_reason_without_the_key() {
    let (key, _) = ecdsa();
    for (key, read, why) in [
        ("hidden", Signer::from_es256_pem as fn(&str) -> _, "not PEM text"),
        (key.as_str(), Signer::from_rs256_pem, "not a key for RS256"),
        (&pem(RSA), Signer::from_es256_pem, "not a key for ES256"),
        (&key.replace("PRIVATE", "EC PRIVATE"), Signer::from_es256_pem, "openssl pkcs8"),
    ] {
        let text = read(key).map(drop).unwrap_err().to_string();
        assert!(text.contains(why) && !text.contains("hidden"), "{text}");
    }
}
