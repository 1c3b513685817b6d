//! Tests of the verification of tokens with known keys.

use ring::hmac;
use serde_json::{Value, json};

use crate::signing::{AUDIENCE, ISSUER, Signer, claims, encode, in_seconds, with};
use genkit_jwt::{JwtAlgorithm, JwtVerifier};
use genkit_mcp_server::{TokenError, TokenVerifier as _};

fn verifier(keys: &[&Signer]) -> JwtVerifier {
    let keys: Vec<Value> = keys.iter().map(|key| key.jwk()).collect();
    let builder = JwtVerifier::builder(ISSUER, AUDIENCE).jwks(json!({ "keys": keys }));
    builder.build().expect("a verifier")
}

async fn fault(verifier: &JwtVerifier, token: &str) -> String {
    match verifier.verify(token).await {
        Ok(principal) => format!("taken: {}", principal.id()),
        Err(TokenError::Invalid(why)) => why,
        Err(other) => format!("{other:?}"),
    }
}

#[tokio::test]
async fn token_provides_principal_and_scopes() {
    let key = Signer::new("k", "RS256");
    let principal = verifier(&[&key]).verify(&key.token(&claims())).await.expect("a valid token");
    assert_eq!(principal.id(), "ada");
    assert_eq!(principal.scopes(), ["notes:read", "notes:write"]);
    assert_eq!(principal.claims()["client_id"], "a client");
    for (scopes, read) in [
        (json!({ "scope": null, "scp": ["a", "b"] }), vec!["a", "b"]),
        (json!({ "scope": null, "scp": "a b" }), vec!["a", "b"]),
        (json!({ "scope": null }), vec![]),
        (json!({ "scope": 7 }), vec![]),
    ] {
        let principal = verifier(&[&key]).verify(&key.token(&with(&scopes))).await;
        assert_eq!(principal.expect("a valid token").scopes(), read, "{scopes}");
    }
}

#[tokio::test]
async fn every_algorithm_that_the_server_names_is_taken_and_no_other() {
    for algorithm in JwtAlgorithm::ALL.iter().copied() {
        let key = Signer::new("k", algorithm.name());
        let keys = json!({ "keys": [key.jwk()] });
        let of = |allowed: &[JwtAlgorithm]| {
            let builder = JwtVerifier::builder(ISSUER, AUDIENCE).jwks(keys.clone());
            builder.algorithms(allowed.iter().copied()).build().expect("a verifier")
        };
        let token = key.token(&claims());
        assert_eq!(fault(&of(&[algorithm]), &token).await, "taken: ada", "{algorithm:?}");
        let others: Vec<_> =
            JwtAlgorithm::ALL.iter().copied().filter(|it| *it != algorithm).collect();
        let told = fault(&of(&others), &token).await;
        assert!(told.contains("does not allow"), "{algorithm:?}: {told}");
    }
}

#[tokio::test]
async fn required_claims_are_checked() {
    let key = Signer::new("k", "ES256");
    let verifier = verifier(&[&key]);
    // The message contains the complete URL, which makes an extra slash visible.
    let issuer = format!("the token has the wrong issuer; expected `{ISSUER}`");
    let audience = format!("the token has the wrong audience; expected `{AUDIENCE}`");
    let subject = "the token has no subject; it needs the claim `sub`";
    for (others, told) in [
        (json!({}), "taken: ada"),
        (json!({ "aud": ["https://a.example", AUDIENCE] }), "taken: ada"),
        (json!({ "nbf": in_seconds(-10), "iat": null }), "taken: ada"),
        // Within the tolerated clock skew.
        (json!({ "exp": in_seconds(-30) }), "taken: ada"),
        (json!({ "nbf": in_seconds(30) }), "taken: ada"),
        (json!({ "iss": "https://evil.example" }), &*issuer),
        (json!({ "iss": format!("{ISSUER}/") }), &*issuer),
        (json!({ "iss": null }), &*issuer),
        // A replayed token for another resource.
        (json!({ "aud": "https://other.example.com/mcp" }), &*audience),
        (json!({ "aud": format!("{AUDIENCE}/x") }), &*audience),
        (json!({ "aud": ["https://a.example"] }), &*audience),
        (json!({ "aud": [] }), &*audience),
        (json!({ "aud": null }), &*audience),
        (json!({ "exp": in_seconds(-120) }), "the token has expired"),
        (json!({ "exp": null }), "the token has no expiry; it needs the claim `exp`"),
        (json!({ "exp": "tomorrow" }), "the token is not a signed JWT"),
        (json!({ "nbf": in_seconds(120) }), "the token is not valid yet"),
        (json!({ "iat": in_seconds(7200) }), "the token is not valid yet"),
        (json!({ "sub": null }), subject),
        (json!({ "sub": "" }), subject),
        (json!({ "sub": 7 }), subject),
        (
            json!({ "cnf": { "jkt": "x" } }),
            "the token is bound to a client key (DPoP or mutual TLS), which this server does not support",
        ),
    ] {
        assert_eq!(fault(&verifier, &key.token(&with(&others))).await, told, "{others}");
    }
}

/// Algorithm `none`, and a public key used as a shared secret.
#[tokio::test]
async fn token_does_not_choose_how_it_is_checked() {
    let key = Signer::new("k", "RS256");
    let verifier = verifier(&[&key]);
    let claims = encode(claims().to_string());
    for none in ["none", "None", "NONE", "nOnE", ""] {
        let header = encode(json!({ "alg": none, "kid": "k" }).to_string());
        for signature in ["", "AAAA"] {
            let told = fault(&verifier, &format!("{header}.{claims}.{signature}")).await;
            assert!(told.contains("does not allow"), "{none}: {told}");
        }
    }
    let jwk = key.jwk();
    let secrets = [
        jwk.to_string(),
        jwk["n"].as_str().expect("n").to_owned(),
        format!("{{\"keys\":[{jwk}]}}"),
    ];
    for (name, algorithm) in
        [("HS256", hmac::HMAC_SHA256), ("HS384", hmac::HMAC_SHA384), ("HS512", hmac::HMAC_SHA512)]
    {
        let header = encode(json!({ "alg": name, "kid": "k" }).to_string());
        for secret in &secrets {
            let message = format!("{header}.{claims}");
            let key = hmac::Key::new(algorithm, secret.as_bytes());
            let token = format!("{message}.{}", encode(hmac::sign(&key, message.as_bytes())));
            let told = fault(&verifier, &token).await;
            assert!(told.contains("does not allow"), "{name}: {told}");
        }
    }
}

#[tokio::test]
async fn signature_counts_for_what_was_signed_by_the_key_that_is_named() {
    let (ours, theirs) = (Signer::new("k", "ES256"), Signer::new("k", "ES256"));
    let verifier_of = verifier(&[&ours]);
    let token = ours.token(&claims());
    let forged = theirs.token(&claims());
    assert_eq!(fault(&verifier_of, &forged).await, "the token has an invalid signature");
    let (head, signature) = token.rsplit_once('.').expect("three parts");
    let (header, _) = head.split_once('.').expect("three parts");
    let root = encode(with(&json!({ "sub": "root" })).to_string());
    let told = fault(&verifier_of, &format!("{header}.{root}.{signature}")).await;
    assert_eq!(told, "the token has an invalid signature");
    // A key in the token itself is ignored.
    for smuggled in ["jwk", "jku", "x5u", "x5c"] {
        let mut header = json!({ "alg": "ES256", "kid": "k" });
        header[smuggled] = theirs.jwk();
        let told = fault(&verifier_of, &theirs.signed(&header, &claims())).await;
        assert_eq!(told, "the token has an invalid signature", "{smuggled}");
    }
    // The key type must match the algorithm.
    let rsa = Signer::new("k", "RS256");
    let told = fault(&verifier_of, &rsa.token(&claims())).await;
    assert_eq!(told, "the token is signed with an unknown key");
    // A key that declares an algorithm is not used with any other.
    let mut jwk = rsa.jwk();
    jwk["alg"] = json!("PS256");
    let keys = json!({ "keys": [jwk] });
    let bound = JwtVerifier::builder(ISSUER, AUDIENCE).jwks(keys).build().expect("a verifier");
    assert_eq!(
        fault(&bound, &rsa.token(&claims())).await,
        "the token is signed with an unknown key"
    );
}

#[tokio::test]
async fn token_without_the_name_of_a_key_is_checked_by_those_that_fit() {
    let (first, second) = (Signer::new("1", "ES256"), Signer::new("2", "ES256"));
    let header = json!({ "alg": "ES256" });
    let both = verifier(&[&Signer::new("0", "RS256"), &first, &second]);
    assert_eq!(fault(&both, &second.signed(&header, &claims())).await, "taken: ada");
    let stranger = Signer::new("3", "ES256").signed(&header, &claims());
    assert_eq!(fault(&both, &stranger).await, "the token is signed with an unknown key");
}

#[tokio::test]
async fn other_kinds_of_tokens_and_texts_are_none() {
    let key = Signer::new("k", "ES256");
    let verifier = verifier(&[&key]);
    for (kind, told) in [
        (json!("JWT"), "taken: ada"),
        (json!("application/at+jwt"), "taken: ada"),
        (json!("AT+JWT"), "taken: ada"),
        (json!("logout+jwt"), "this type of JWT is not an access token"),
        (json!("dpop+jwt"), "this type of JWT is not an access token"),
        (json!(7), "this type of JWT is not an access token"),
    ] {
        let header = json!({ "alg": "ES256", "kid": "k", "typ": kind });
        assert_eq!(fault(&verifier, &key.signed(&header, &claims())).await, told, "{kind}");
    }
    let critical = json!({ "alg": "ES256", "kid": "k", "crit": ["exp"], "exp": 1 });
    let told = fault(&verifier, &key.signed(&critical, &claims())).await;
    assert_eq!(
        told,
        "the token has a critical header parameter (`crit`) that this server does not support"
    );
    let long = json!({ "alg": "ES256", "kid": "k".repeat(2000) });
    let token = key.token(&claims());
    for text in [
        "",
        ".",
        "..",
        "a.b",
        "a.b.c",
        "a.b.c.d",
        "e30.e30.",
        &token[..token.len() - 1],
        &format!("{token}="),
        &format!("{token}.x"),
        &format!(" {token}"),
        &key.signed(&json!([]), &claims()),
        &key.signed(&json!({ "alg": 7 }), &claims()),
        &key.signed(&json!({ "alg": "ES256", "kid": 7 }), &claims()),
        &key.signed(&json!({ "alg": "ES256", "kid": "k" }), &json!(["x"])),
        &key.signed(&long, &claims()),
    ] {
        assert_eq!(fault(&verifier, text).await, "the token is not a signed JWT", "{text:.60}");
    }
}

#[test]
fn verifier_that_could_never_take_a_token_is_not_made() {
    let builder = || JwtVerifier::builder(ISSUER, AUDIENCE);
    assert!(builder().build().is_ok());
    assert!(builder().algorithms([]).build().is_err());
    assert!(builder().jwks_url("http://login.example.com/keys").build().is_err());
    assert!(builder().jwks(json!([])).build().is_err());
    let many: Vec<Value> = (0..101).map(|_| json!({})).collect();
    assert!(builder().jwks(json!({ "keys": many })).build().is_err());
    assert!(JwtVerifier::builder("login.example.com", AUDIENCE).build().is_err());
}

/// Unusable keys are skipped, and never make a token valid.
#[tokio::test]
async fn odd_keys_do_not_hide_the_others() {
    let key = Signer::new("k", "ES256");
    let secret = json!({ "kty": "oct", "kid": "k", "k": "AAAA" });
    let mut encryption = key.jwk();
    encryption["use"] = json!("enc");
    let off_curve = json!({ "kty": "EC", "crv": "P-256", "kid": "k", "x": encode([1; 32]), "y": encode([1; 32]) });
    let short = json!({ "kty": "EC", "crv": "P-256", "kid": "k", "x": "AA", "y": "AA" });
    let weak = json!({ "kty": "RSA", "kid": "k", "n": encode([255; 64]), "e": "AQAB" });
    let odd = [json!(null), json!(7), json!({}), secret, encryption, off_curve, short, weak];
    let keys: Vec<Value> = odd.into_iter().chain([key.jwk()]).collect();
    let builder = JwtVerifier::builder(ISSUER, AUDIENCE).jwks(json!({ "keys": keys }));
    let verifier = builder.build().expect("a verifier");
    assert_eq!(fault(&verifier, &key.token(&claims())).await, "taken: ada");
}
