//! Tests of access with an identity provider's assertion about a user.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::access::{authorization_server, refusal};
use crate::config::ServerConfig;
use crate::transport::http::tests::fake::{Answer, Fake, Request, mcp};
use crate::transport::http::tests::{connector, fault, list, open};
use crate::transport::oauth::{IdentityProvider, OAuth};
use genkit_core::{Error, ErrorKind};

const ID_TOKEN: &str = "id-token-of-ada";
const ASSERTION: &str = "assertion-of-the-provider";
const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";

/// Starts a server that accepts assertions of the provider.
async fn server() -> Fake {
    Fake::start(|request| match request.path.as_str() {
        "/token" => Answer::json(&json!({
            "access_token": "t", "token_type": "Bearer", "expires_in": 3600,
        })),
        "/mcp" if request.header("authorization").is_none() => refusal(request),
        "/mcp" => mcp(request),
        _ => authorization_server(request, &["client_secret_basic"]),
    })
    .await
}

fn vouched(_: &Request) -> Answer {
    Answer::json(&json!({
        "access_token": ASSERTION, "issued_token_type": ID_JAG, "token_type": "N_A",
    }))
}

fn provider(at: &Fake) -> IdentityProvider {
    let endpoint = format!("{}/idp/token", at.origin);
    IdentityProvider::new(endpoint, "here", || async { Ok(ID_TOKEN.to_owned()) })
}

fn asking(provider: IdentityProvider) -> OAuth {
    OAuth::identity_assertion("there", provider).client_secret("secret-of-there")
}

#[tokio::test]
async fn id_token_is_exchanged_for_an_assertion_and_that_for_access() {
    let (idp, fake) = (Fake::start(vouched).await, server().await);
    let oauth = asking(provider(&idp).client_secret("secret-of-here"));
    let client = open(&connector(&ServerConfig::http(fake.url()).oauth(oauth))).await.unwrap();
    list(&client).await.unwrap();
    let basic =
        |id: &str, secret: &str| format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")));
    let exchanged = idp.seen(|request| request.path == "/idp/token").remove(0);
    for (name, value) in [
        ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
        ("requested_token_type", ID_JAG),
        ("subject_token", ID_TOKEN),
        ("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"),
        ("audience", &fake.origin),
        ("resource", &fake.url()),
        ("scope", "read"),
    ] {
        assert_eq!(exchanged.param(name).as_deref(), Some(value), "{name}");
    }
    let sent = basic("here", "secret-of-here");
    assert_eq!(exchanged.header("authorization"), Some(sent.as_str()));
    assert_eq!(exchanged.param("client_id"), None);
    let asked = fake.seen(|request| request.path == "/token").remove(0);
    let grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
    assert_eq!(asked.param("grant_type").as_deref(), Some(grant));
    assert_eq!(asked.param("assertion").as_deref(), Some(ASSERTION));
    let sent = basic("there", "secret-of-there");
    assert_eq!(asked.header("authorization"), Some(sent.as_str()));
    // Neither server sees the other's token.
    assert!(!asked.body.contains(ID_TOKEN));
    assert!(idp.seen(|request| request.body.contains(ASSERTION)).is_empty());
}

#[tokio::test]
async fn provider_error_is_reported_without_secrets() {
    let idp = Fake::start(|request| {
        let said = format!("bad: {} {:?}", request.body, request.header("authorization"));
        let body = json!({"error": "invalid_grant", "error_description": said});
        Answer::status(400).header("Content-Type", "application/json").body(body.to_string())
    })
    .await;
    let fake = server().await;
    let oauth = asking(provider(&idp).client_secret("secret-of-here"));
    let fault = fault(ServerConfig::http(fake.url()).oauth(oauth)).await;
    let text = format!("{} {fault:?}", fault.error.chain());
    assert!(text.contains("the identity provider issued no assertion for the user"), "{text}");
    assert!(
        text.contains("/idp/token returned HTTP 400") && text.contains("invalid_grant"),
        "{text}"
    );
    let basic = STANDARD.encode("here:secret-of-here");
    for secret in [ID_TOKEN, "secret-of-here", basic.as_str()] {
        assert!(!text.contains(secret), "{text}");
    }
    assert_eq!(fault.error.kind(), ErrorKind::Unauthenticated);
    assert!(fake.seen(|request| request.path == "/token").is_empty());
}

#[tokio::test]
async fn non_assertion_response_is_rejected() {
    for answer in [
        json!({"access_token": "t", "token_type": "Bearer"}),
        json!({
            "access_token": "t", "token_type": "Bearer",
            "issued_token_type": "urn:ietf:params:oauth:token-type:access_token",
        }),
        json!({"issued_token_type": ID_JAG}),
        Value::Null,
    ] {
        let idp = Fake::start(move |_| Answer::json(&answer)).await;
        let fake = server().await;
        let fault = fault(ServerConfig::http(fake.url()).oauth(asking(provider(&idp)))).await;
        assert!(fault.error.to_string().contains("must support enterprise-managed"), "{fault:?}");
        assert!(fake.seen(|request| request.path == "/token").is_empty());
    }
}

/// If the provider redirects, the user's token is not sent to the new address.
#[tokio::test]
async fn redirect_of_the_provider_is_not_followed() {
    let elsewhere = Fake::start(vouched).await;
    let to = elsewhere.url();
    let idp = Fake::start(move |_| Answer::status(307).header("Location", to.clone())).await;
    let fake = server().await;
    let fault = fault(ServerConfig::http(fake.url()).oauth(asking(provider(&idp)))).await;
    assert!(fault.error.to_string().contains("the redirect was not followed"), "{fault:?}");
    assert!(elsewhere.seen(|_| true).is_empty());
}

#[tokio::test]
async fn missing_sign_in_and_invalid_address_are_reported() {
    let (idp, fake) = (Fake::start(vouched).await, server().await);
    let endpoint = format!("{}/idp/token", idp.origin);
    let gone = IdentityProvider::new(endpoint, "here", || async {
        Err(Error::new(ErrorKind::Unauthenticated, "the session has ended"))
    });
    let fault = fault(ServerConfig::http(fake.url()).oauth(asking(gone))).await;
    let says = "`IdentityProvider::new(..)` returned no ID token: the session has ended";
    assert!(fault.error.to_string().contains(says), "{fault:?}");
    assert!(idp.seen(|_| true).is_empty());

    for (address, says) in [
        ("idp.example.com/token", "is not a URL"),
        (
            "http://idp.example.com/token?key=abcdefgh",
            "not encrypted: http://idp.example.com/token;",
        ),
        ("ftp://idp.example.com/token", "use an `https://` URL"),
    ] {
        let provider = IdentityProvider::new(address, "here", || async { Ok(String::new()) });
        let text = asking(provider).check_settings().unwrap_err().to_string();
        assert!(text.contains(says), "{text}");
        assert!(!text.contains("abcdefgh"), "{text}");
    }
}
