//! Tests of the JWT bearer grant: a client authenticates with an assertion from another issuer.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::access::{authorization_server, refusal};
use crate::config::ServerConfig;
use crate::transport::http::tests::fake::{Answer, Fake, Request, mcp};
use crate::transport::http::tests::{connector, fault, list, open};
use crate::transport::oauth::OAuth;
use genkit_core::{Error, ErrorKind};

const GRANT: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/// Starts a server that accepts assertions. `token` returns the response of its token endpoint.
async fn server(token: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Fake {
    Fake::start(move |request| match request.path.as_str() {
        "/token" => token(request),
        "/mcp" if request.header("authorization").is_none() => refusal(request),
        "/mcp" => mcp(request),
        _ => authorization_server(request, &["client_secret_basic"]),
    })
    .await
}

fn token_response(seconds: u64) -> Answer {
    Answer::json(&json!({"access_token": "t", "token_type": "Bearer", "expires_in": seconds}))
}

/// Returns a provider that creates a new assertion for each call, with a trailing newline.
fn numbered_assertions() -> (OAuth, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let oauth = OAuth::jwt_bearer("me", move |issuer| {
        let number = count.fetch_add(1, Ordering::Relaxed);
        async move { Ok(format!("assertion-{number}-for-{issuer}\n")) }
    });
    (oauth, asked)
}

#[tokio::test]
async fn each_token_request_uses_a_new_assertion_for_the_issuer() {
    let fake = server(|_| token_response(0)).await;
    let (oauth, _) = numbered_assertions();
    let client = open(&connector(&ServerConfig::http(fake.url()).oauth(oauth))).await.unwrap();
    list(&client).await.unwrap();
    let asked = fake.seen(|request| request.path == "/token");
    assert!(asked.len() > 1, "an expired token must be refreshed before it is sent");
    for (number, request) in asked.iter().enumerate() {
        let assertion = format!("assertion-{number}-for-{}", fake.origin);
        assert_eq!(request.param("assertion"), Some(assertion));
        assert_eq!(request.param("grant_type").as_deref(), Some(GRANT));
        assert_eq!(request.param("client_id").as_deref(), Some("me"));
        assert_eq!(request.param("scope").as_deref(), Some("read"));
        assert_eq!(request.param("resource"), Some(fake.url()));
        assert_eq!(request.header("authorization"), None);
    }
}

#[tokio::test]
async fn client_secret_is_sent_along_with_the_assertion() {
    let fake = server(|_| token_response(3600)).await;
    let (oauth, asked) = numbered_assertions();
    let oauth = oauth.client_secret("its-secret");
    let client = open(&connector(&ServerConfig::http(fake.url()).oauth(oauth))).await.unwrap();
    list(&client).await.unwrap();
    let seen = fake.seen(|request| request.path == "/token");
    let basic = format!("Basic {}", STANDARD.encode("me:its-secret"));
    assert_eq!(seen[0].header("authorization"), Some(basic.as_str()));
    assert_eq!((seen.len(), asked.load(Ordering::Relaxed)), (1, 1));
}

/// A rejection is final: neither a retry nor another grant would help.
#[tokio::test]
async fn rejection_is_not_retried_and_hides_the_assertion() {
    // As long as a JWT, and longer than the quoted part of a response.
    let jwt = format!("eyJhbGciOiJFUzI1NiJ9.{}.c2lnbmF0dXJl", "eyJzdWIiOiJtZSJ9".repeat(30));
    for status in [400, 401, 500] {
        let fake = server(move |request| {
            let said = format!("bad: {}", request.body);
            let body = json!({"error": "invalid_grant", "error_description": said});
            Answer::status(status).header("Content-Type", "application/json").body(body.to_string())
        })
        .await;
        let given = jwt.clone();
        let oauth = OAuth::jwt_bearer("me", move |_| {
            let jwt = given.clone();
            async move { Ok(jwt) }
        });
        let fault = fault(ServerConfig::http(fake.url()).oauth(oauth)).await;
        let text = format!("{} {fault:?}", fault.error.chain());
        assert!(text.contains("invalid_grant"), "{text}");
        assert!(!text.contains("eyJzdWIi"), "{text}");
        assert_eq!(fake.seen(|request| request.path == "/token").len(), 1);
    }
}

#[tokio::test]
async fn nothing_is_sent_without_an_assertion() {
    let fake = server(|_| token_response(3600)).await;
    let broken = OAuth::jwt_bearer("me", |_| async {
        Err(Error::new(ErrorKind::NotFound, "the platform issued no token"))
    });
    let empty = OAuth::jwt_bearer("me", |_| async { Ok(" \n".to_owned()) });
    let (elsewhere, asked) = numbered_assertions();
    let elsewhere = elsewhere.issuer("https://other.example.com");
    for (oauth, says) in [
        (broken, "`OAuth::jwt_bearer(..)` returned no assertion: the platform issued no token"),
        (empty, "`OAuth::jwt_bearer(..)` returned an empty assertion"),
        (elsewhere, "but `.issuer(..)` expects https://other.example.com"),
    ] {
        let fault = fault(ServerConfig::http(fake.url()).oauth(oauth)).await;
        assert!(fault.error.to_string().contains(says), "{fault:?}");
    }
    assert_eq!(asked.load(Ordering::Relaxed), 0);
    assert!(fake.seen(|request| request.path == "/token").is_empty());
}
