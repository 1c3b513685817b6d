//! Tests of the keys of an issuer: caching, refresh and revocation, and slow or malicious issuers.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;

use crate::issuer::{Issuer, Page};
use crate::signing::{AUDIENCE, Signer};
use genkit_jwt::JwtVerifier;
use genkit_mcp_server::{TokenError, TokenVerifier as _};

/// Advances the clock.
async fn later(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

async fn is_taken(verifier: &JwtVerifier, token: &str) -> bool {
    verifier.verify(token).await.is_ok()
}

async fn is_unavailable(verifier: &JwtVerifier, token: &str) -> bool {
    matches!(verifier.verify(token).await, Err(TokenError::Unavailable(_)))
}

#[tokio::test]
async fn keys_are_found_by_the_metadata_and_fetched_once() {
    let key = Signer::new("1", "ES256");
    let issuer = Issuer::of(&[&key]).await;
    let (verifier, token) = (issuer.verifier(), issuer.token(&key));
    assert_eq!(issuer.asked(), 0);
    let taken = join_all((0..50).map(|_| is_taken(&verifier, &token))).await;
    assert!(taken.into_iter().all(|taken| taken));
    assert_eq!(issuer.asked(), 1);
    // The metadata of RFC 8414 takes precedence over that of OpenID Connect.
    let elsewhere = json!({ "issuer": issuer.url, "jwks_uri": format!("{}/other", issuer.url) });
    issuer.has("/.well-known/oauth-authorization-server", Page::Text(elsewhere.to_string()));
    issuer.has("/other", Page::Text(json!({ "keys": [] }).to_string()));
    let told = issuer.verifier().verify(&token).await.expect_err("no key");
    assert_eq!(told, TokenError::invalid("the token is signed with an unknown key"));
}

#[tokio::test]
async fn new_key_is_found_when_a_token_names_it_and_an_old_one_ends() {
    let (old, new) = (Signer::new("old", "ES256"), Signer::new("new", "ES256"));
    let issuer = Issuer::of(&[&old]).await;
    let verifier = issuer.verifier();
    assert!(is_taken(&verifier, &issuer.token(&old)).await);
    issuer.publishes(&[&new]);
    assert!(!is_taken(&verifier, &issuer.token(&new)).await, "keys were fetched a moment ago");
    later(Duration::from_secs(11)).await;
    assert!(is_taken(&verifier, &issuer.token(&new)).await);
    assert!(!is_taken(&verifier, &issuer.token(&old)).await);
    assert_eq!(issuer.asked(), 2);
}

#[tokio::test]
async fn anonymous_clients_cannot_trigger_key_fetches() {
    let key = Signer::new("1", "ES256");
    let issuer = Issuer::of(&[&key]).await;
    let verifier = issuer.verifier();
    assert!(is_taken(&verifier, &issuer.token(&key)).await);
    for round in 1..=3 {
        later(Duration::from_secs(11)).await;
        let storm = (0..200).map(|n| issuer.token(&Signer::new(&format!("{round}-{n}"), "EdDSA")));
        let storm: Vec<String> = storm.collect();
        let taken = join_all(storm.iter().map(|token| is_taken(&verifier, token))).await;
        assert!(taken.into_iter().all(|taken| !taken));
        assert_eq!(issuer.asked(), 1 + round);
    }
    assert!(is_taken(&verifier, &issuer.token(&key)).await);
}

#[tokio::test]
async fn keys_are_renewed_in_the_background_and_used_for_an_hour_at_most() {
    let key = Signer::new("1", "ES256");
    let issuer = Issuer::of(&[&key]).await;
    let (verifier, token) = (issuer.verifier(), issuer.token(&key));
    assert!(is_taken(&verifier, &token).await);
    issuer.has("/keys", Page::Status(500));
    later(Duration::from_secs(601)).await;
    assert!(is_taken(&verifier, &token).await, "the old keys are still usable");
    while issuer.asked() < 2 {
        tokio::task::yield_now().await;
    }
    later(Duration::from_secs(3600)).await;
    assert!(is_unavailable(&verifier, &token).await, "the keys are too old");
    issuer.publishes(&[&key]);
    later(Duration::from_secs(61)).await;
    assert!(is_taken(&verifier, &token).await);
}

#[tokio::test]
async fn issuer_that_fails_is_asked_less_and_less() {
    let key = Signer::new("1", "ES256");
    let issuer = Issuer::of(&[&key]).await;
    let (verifier, token) = (issuer.verifier(), issuer.token(&key));
    issuer.has("/keys", Page::Status(503));
    let mut times = Vec::new();
    for _ in 0..120 {
        let before = issuer.asked();
        assert!(is_unavailable(&verifier, &token).await);
        times.push(issuer.asked() - before);
        later(Duration::from_millis(1001)).await;
    }
    // The keys are requested after about 0, 1, 2, 4, 8, 16, 32 and 60 seconds.
    let asked: usize = times.iter().sum();
    assert!((6..=8).contains(&asked), "{asked}: {times:?}");
}

#[tokio::test]
async fn issuer_that_lies_is_not_believed() {
    let key = Signer::new("1", "ES256");
    let huge = format!("{{\"keys\":[],\"x\":\"{}\"}}", "x".repeat(300 * 1024));
    let many = json!({ "keys": vec![key.jwk(); 101] }).to_string();
    for page in [
        Page::Text(String::new()),
        Page::Text("<html>".to_owned()),
        Page::Text("[]".to_owned()),
        Page::Text("{}".to_owned()),
        Page::Text(r#"{"keys":{}}"#.to_owned()),
        Page::Text("[".repeat(100_000)),
        Page::Text(huge),
        Page::Text(many),
        Page::Status(404),
        Page::Status(204),
        Page::Redirect("/moved".to_owned()),
    ] {
        let issuer = Issuer::of(&[&key]).await;
        issuer.has("/moved", Page::Text(json!({ "keys": [key.jwk()] }).to_string()));
        issuer.has("/keys", page);
        assert!(is_unavailable(&issuer.verifier(), &issuer.token(&key)).await);
    }
    let issuer = Issuer::of(&[&key]).await;
    for metadata in [
        json!({ "issuer": "https://login.example.com", "jwks_uri": format!("{}/keys", issuer.url) }),
        json!({ "jwks_uri": format!("{}/keys", issuer.url) }),
        json!({ "issuer": issuer.url }),
        json!({ "issuer": issuer.url, "jwks_uri": "http://keys.example.com" }),
        json!({ "issuer": issuer.url, "jwks_uri": "file:///etc/passwd" }),
    ] {
        let page = Page::Text(metadata.to_string());
        issuer.has("/.well-known/oauth-authorization-server", page);
        assert!(is_unavailable(&issuer.verifier(), &issuer.token(&key)).await, "{metadata}");
    }
    assert_eq!(issuer.asked(), 0);
}

/// The paused clock advances automatically while all tasks are idle.
#[tokio::test(start_paused = true)]
async fn issuer_that_is_slow_is_not_waited_for() {
    let key = Signer::new("1", "ES256");
    let issuer = Issuer::of(&[&key]).await;
    issuer.has("/.well-known/oauth-authorization-server", Page::Never);
    assert!(is_unavailable(&issuer.verifier(), &issuer.token(&key)).await);
    let jwks = format!("{}/keys", issuer.url);
    issuer.has("/keys", Page::Never);
    let verifier = JwtVerifier::builder(issuer.url.as_str(), AUDIENCE).jwks_url(jwks).build();
    assert!(is_unavailable(&verifier.expect("a verifier"), &issuer.token(&key)).await);
}

/// The timeout covers the whole document, so an issuer cannot extend it by sending byte after byte.
#[tokio::test(start_paused = true)]
async fn issuer_that_trickles_is_not_waited_for() {
    let key = Signer::new("1", "ES256");
    let issuer = Issuer::of(&[&key]).await;
    issuer.has("/keys", Page::Trickle);
    let started = tokio::time::Instant::now();
    let told = issuer.verifier().verify(&issuer.token(&key)).await.expect_err("no keys");
    assert!(matches!(told, TokenError::Unavailable(_)), "{told:?}");
    let waited = started.elapsed();
    assert!(waited >= Duration::from_secs(4) && waited < Duration::from_secs(7), "{waited:?}");
}
