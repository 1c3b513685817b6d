//! Tests of the access of the program itself, with client credentials.

use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair,
    UnparsedPublicKey,
};
use serde_json::{Value, json};

use super::access::{authorization_server, refusal};
use crate::config::ServerConfig;
use crate::transport::http::tests::fake::{Answer, Fake, mcp};
use crate::transport::http::tests::{connector, fault, list, open};
use crate::transport::oauth::discovery::Discovery;
use crate::transport::oauth::{OAuth, SigningAlgorithm};

/// Starts a server for programs; each token is different and valid for `seconds`.
async fn server(seconds: u64, methods: &'static [&'static str]) -> Fake {
    let given = AtomicUsize::new(0);
    Fake::start(move |request| match request.path.as_str() {
        "/token" => {
            let count = given.fetch_add(1, Ordering::Relaxed);
            let token = format!("t{count}");
            Answer::json(
                &json!({"access_token": token, "token_type": "Bearer", "expires_in": seconds}),
            )
        }
        "/mcp" if request.header("authorization").is_none() => refusal(request),
        "/mcp" => mcp(request),
        _ => authorization_server(request, methods),
    })
    .await
}

#[tokio::test]
async fn secret_goes_where_the_server_takes_it_and_tokens_are_renewed() {
    let fake = server(3600, &["client_secret_basic"]).await;
    let oauth = OAuth::client_credentials("me:1", "s/1");
    let client = open(&connector(&ServerConfig::http(fake.url()).oauth(oauth))).await.unwrap();
    list(&client).await.unwrap();
    let asked = fake.seen(|request| request.path == "/token");
    assert_eq!(asked.len(), 1);
    // me%3A1:s%2F1
    assert_eq!(asked[0].header("authorization"), Some("Basic bWUlM0ExOnMlMkYx"));
    assert_eq!(asked[0].param("grant_type").as_deref(), Some("client_credentials"));
    assert_eq!(asked[0].param("scope").as_deref(), Some("read"));
    assert_eq!(asked[0].param("resource"), Some(fake.url()));

    let fake = server(0, &["client_secret_post"]).await;
    let oauth = OAuth::client_credentials("me", "secret").scopes(["write"]);
    let client = open(&connector(&ServerConfig::http(fake.url()).oauth(oauth))).await.unwrap();
    list(&client).await.unwrap();
    let asked = fake.seen(|request| request.path == "/token");
    assert!(asked.len() > 1, "an expired token must be refreshed before it is sent");
    assert_eq!(asked[0].header("authorization"), None);
    assert_eq!(asked[0].param("client_secret").as_deref(), Some("secret"));
    assert_eq!(asked[0].param("scope").as_deref(), Some("write"));
}

fn ecdsa() -> (String, Vec<u8>) {
    let (curve, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
    let der = EcdsaKeyPair::generate_pkcs8(curve, &random).unwrap();
    let key = EcdsaKeyPair::from_pkcs8(curve, der.as_ref(), &random).unwrap();
    let der = STANDARD.encode(der.as_ref());
    let pem = format!("-----BEGIN PRIVATE KEY-----\n{der}\n-----END PRIVATE KEY-----\n");
    (pem, key.public_key().as_ref().to_vec())
}

/// Returns the claims of a JWT if its signature is valid.
fn verified(token: &str, public: &[u8]) -> Value {
    let (text, signature) = token.rsplit_once('.').unwrap();
    let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
    UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, public)
        .verify(text.as_bytes(), &signature)
        .unwrap();
    let (_, claims) = text.split_once('.').unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).unwrap()).unwrap()
}

#[tokio::test]
async fn key_signs_for_the_issuer() {
    let fake = server(3600, &["private_key_jwt"]).await;
    let (key, public) = ecdsa();
    let oauth = OAuth::client_credentials_jwt("me", key, SigningAlgorithm::Es256);
    open(&connector(&ServerConfig::http(fake.url()).oauth(oauth))).await.unwrap();
    let asked = fake.seen(|request| request.path == "/token").remove(0);
    let claims = verified(&asked.param("client_assertion").unwrap(), &public);
    assert_eq!(claims["aud"], fake.origin);
    assert_eq!(asked.param("client_id"), None);
    assert!("HS256".parse::<SigningAlgorithm>().is_err());
}

#[tokio::test]
async fn secret_is_not_sent_to_another_issuer_and_rejections_are_reported() {
    let fake = server(3600, &["client_secret_basic"]).await;
    let oauth = OAuth::client_credentials("me", "s").issuer("https://other.example.com");
    let text = fault(ServerConfig::http(fake.url()).oauth(oauth)).await.error.to_string();
    assert!(text.contains("`.issuer(..)` expects"), "{text}");
    assert!(fake.seen(|request| request.path == "/token").is_empty());

    let fake = Fake::start(|request| match request.path.as_str() {
        "/token" => Answer::status(401).body(json!({"error": "invalid_client"}).to_string()),
        "/mcp" => refusal(request),
        _ => authorization_server(request, &[]),
    })
    .await;
    let oauth = OAuth::client_credentials("me", "s");
    let fault = fault(ServerConfig::http(fake.url()).oauth(oauth)).await;
    assert!(fault.error.to_string().contains("invalid_client"), "{fault:?}");
    assert_eq!(fault.error.kind(), genkit_core::ErrorKind::Unauthenticated);
}

/// The secret is redacted even if the authorization server echoes the request.
#[tokio::test]
async fn rejection_does_not_repeat_the_secret() {
    const SECRET: &str = "s3cret-of-this-program";
    for method in ["client_secret_basic", "client_secret_post"] {
        for status in [400, 401, 500] {
            let fake = Fake::start(move |request| match request.path.as_str() {
                "/token" => {
                    let basic = request.header("authorization").unwrap_or_default();
                    let said = format!("bad: {basic} {} {SECRET}", request.body);
                    let body = json!({"error": "invalid_client", "error_description": said});
                    Answer::status(status)
                        .header("Content-Type", "application/json")
                        .body(body.to_string())
                }
                "/mcp" => refusal(request),
                _ => authorization_server(request, &[method]),
            })
            .await;
            let oauth = OAuth::client_credentials("me", SECRET);
            let fault = fault(ServerConfig::http(fake.url()).oauth(oauth)).await;
            let text = format!("{} {fault:?}", fault.error.chain());
            let basic = STANDARD.encode(format!("me:{SECRET}"));
            assert!(!text.contains(SECRET) && !text.contains(&basic), "{method} {status}: {text}");
            assert!(!fake.seen(|request| request.path == "/token").is_empty());
        }
    }
}

/// Without an issuer, an MCP server could name any authorization server, which would then receive the secret.
#[test]
fn secret_without_an_issuer_stays_at_the_origin_of_its_server() {
    use rmcp::transport::auth::AuthorizationMetadata;
    let metadata = |issuer: &str, token: &str| -> AuthorizationMetadata {
        serde_json::from_value(json!({
            "issuer": issuer, "authorization_endpoint": format!("{issuer}/authorize"),
            "token_endpoint": token,
        }))
        .unwrap()
    };
    let check = |oauth: OAuth, issuer: &str, token: &str| {
        let resource = "https://mcp.example.com/mcp".parse().unwrap();
        Discovery::new(resource, &oauth, None, None).check_metadata(&metadata(issuer, token))
    };
    let secret = || OAuth::client_credentials("me", "its-secret");
    let (own, other) = ("https://mcp.example.com", "https://evil.example.org");
    check(secret(), own, "https://mcp.example.com/token").unwrap();
    for (issuer, token) in [
        (other, "https://evil.example.org/token"),
        (own, "https://evil.example.org/token"),
        ("https://mcp.example.com:444", "https://mcp.example.com/token"),
        ("https://sub.mcp.example.com", "https://sub.mcp.example.com/token"),
    ] {
        let error = check(secret(), issuer, token).unwrap_err().to_string();
        assert!(error.contains("set `.issuer(..)` to the"), "{error}");
        let known = OAuth::new().client_id("me").client_secret("its-secret");
        assert!(check(known, issuer, token).is_err());
        let asserts = OAuth::jwt_bearer("me", |_| async { Ok(String::new()) });
        assert!(check(asserts, issuer, token).is_err());
        // Without a secret, any authorization server is accepted.
        check(OAuth::new().client_id("me"), issuer, token).unwrap();
    }
    check(secret().issuer(other), other, "https://evil.example.org/token").unwrap();
}
