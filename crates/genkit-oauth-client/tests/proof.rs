//! Tests of DPoP proofs.

#![allow(clippy::unwrap_used, reason = "a panic shows where a test failed")]

use std::collections::HashSet;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use genkit_oauth_client::DpopKey;
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair,
    UnparsedPublicKey,
};
use serde_json::Value;

/// Returns the header and the claims of a proof whose signature matches the key in it.
fn verified(proof: &str) -> (Value, Value) {
    let (text, signature) = proof.rsplit_once('.').unwrap();
    let (header, claims) = text.split_once('.').unwrap();
    let decoded = |part: &str| URL_SAFE_NO_PAD.decode(part).unwrap();
    let header: Value = serde_json::from_slice(&decoded(header)).unwrap();
    let of = |name: &str| decoded(header["jwk"][name].as_str().unwrap());
    let point = [vec![4], of("x"), of("y")].concat();
    UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point)
        .verify(text.as_bytes(), &decoded(signature))
        .unwrap();
    (header, serde_json::from_slice(&decoded(claims)).unwrap())
}

#[test]
fn proof_is_for_one_request_and_can_be_verified() {
    let key = DpopKey::generate().unwrap();
    let proof = key.new_proof("GET", "https://mcp.example.com/mcp?key=hidden#part");
    let (header, claims) = verified(&proof.access_token("token").with_nonce("n1").sign().unwrap());
    assert_eq!(header["typ"], "dpop+jwt");
    assert_eq!(header["alg"], "ES256");
    let members: Vec<&String> = header["jwk"].as_object().unwrap().keys().collect();
    assert_eq!(members.len(), 4, "no private key: {members:?}");
    assert_eq!((&header["jwk"]["kty"], &header["jwk"]["crv"]), (&"EC".into(), &"P-256".into()));
    assert_eq!(claims["htm"], "GET");
    assert_eq!(claims["htu"], "https://mcp.example.com/mcp");
    assert_eq!(claims["nonce"], "n1");
    assert_eq!(claims["ath"], URL_SAFE_NO_PAD.encode(digest(&SHA256, b"token")));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    assert!(now.abs_diff(claims["iat"].as_u64().unwrap()) < 60);

    let plain = || verified(&key.new_proof("POST", "https://a.example.com/token").sign().unwrap());
    let ids: HashSet<String> = (0..100).map(|_| plain().1["jti"].to_string()).collect();
    assert_eq!(ids.len(), 100);
    let (again, claims) = plain();
    assert_eq!(again["jwk"], header["jwk"]);
    assert!(claims.get("ath").is_none() && claims.get("nonce").is_none());
}

#[test]
fn program_key_signs_and_is_not_in_debug_output() {
    let (curve, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
    let der = EcdsaKeyPair::generate_pkcs8(curve, &random).unwrap();
    let pair = EcdsaKeyPair::from_pkcs8(curve, der.as_ref(), &random).unwrap();
    let encoded = STANDARD.encode(der.as_ref());
    let key = format!("-----BEGIN PRIVATE KEY-----\n{encoded}\n-----END PRIVATE KEY-----\n");
    let key = DpopKey::from_es256_pem(&key).unwrap();
    let (header, _) =
        verified(&key.new_proof("POST", "https://a.example.com/token").sign().unwrap());
    let x = URL_SAFE_NO_PAD.encode(&pair.public_key().as_ref()[1..33]);
    assert_eq!(header["jwk"]["x"], x);
    let shown = format!("{key:?} {:?}", key.new_proof("GET", "https://a.example.com"));
    assert!(!shown.contains(&encoded[20..60]), "{shown}");
    let text = DpopKey::from_es256_pem("hidden").unwrap_err().to_string();
    assert!(text.contains("not PEM text") && !text.contains("hidden"), "{text}");
}
