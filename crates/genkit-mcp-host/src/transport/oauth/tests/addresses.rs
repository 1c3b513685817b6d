//! Tests of the addresses that a server may send this program, and the user's browser, to.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use reqwest::Url;
use reqwest::dns::Resolve;
use serde_json::{Value, json};

use super::access::{authorization_server, metadata_address, origin};
use crate::config::ServerConfig;
use crate::transport::http::tests::fake::{Answer, Fake, mcp};
use crate::transport::http::tests::{connector, explain_error, fault, list, open};
use crate::transport::http_client::addresses::AddressPolicy;
use crate::transport::http_client::client::for_oauth;
use crate::transport::http_client::explain::RequestTarget;
use crate::transport::http_client::network::Network;
use crate::transport::oauth::OAuth;
use genkit_core::ErrorKind;

/// Starts a server whose authorization server's metadata is modified by `change`.
async fn server(change: impl Fn(&mut Value) + Send + Sync + 'static) -> Fake {
    Fake::start(move |request| match request.path.as_str() {
        "/mcp" => {
            let at = metadata_address(request);
            let bearer = format!("Bearer resource_metadata=\"{at}\"");
            Answer::status(401).header("WWW-Authenticate", bearer)
        }
        "/.well-known/oauth-authorization-server" => {
            let mut said = authorization_server(request, &["client_secret_basic"]).value();
            change(&mut said);
            Answer::json(&said)
        }
        _ => authorization_server(request, &["client_secret_basic"]),
    })
    .await
}

#[tokio::test]
async fn non_https_endpoints_are_rejected_before_sign_in() {
    for (member, address, says) in [
        ("authorization_endpoint", "file:///bin/sh", "`file`"),
        ("authorization_endpoint", "javascript:alert(1)", "`javascript`"),
        ("authorization_endpoint", "http://example.com/authorize", "not encrypted"),
        ("authorization_endpoint", "$(calc.exe)", "is not a URL"),
        ("token_endpoint", "http://example.com/token", "not encrypted"),
        ("registration_endpoint", "ftp://example.com/register", "`ftp`"),
    ] {
        let fake = server(move |said| said[member] = json!(address)).await;
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let person = OAuth::new().on_authorize(move |_| {
            count.fetch_add(1, Ordering::Relaxed);
            async { Ok(String::new()) }
        });
        for oauth in [person, OAuth::client_credentials("me", "secret")] {
            let fault = fault(ServerConfig::http(fake.url()).oauth(oauth)).await;
            assert_eq!(fault.error.kind(), ErrorKind::FailedPrecondition, "{fault:?}");
            assert!(fault.error.to_string().contains(says), "{fault:?}");
        }
        assert_eq!(asked.load(Ordering::Relaxed), 0);
        assert!(fake.seen(|r| matches!(r.path.as_str(), "/token" | "/register")).is_empty());
    }
}

#[tokio::test]
async fn local_server_cannot_redirect_to_private_address() {
    let fake = server(|said| said["token_endpoint"] = json!("https://169.254.169.254/token")).await;
    let oauth = OAuth::client_credentials("me", "secret");
    let fault = fault(ServerConfig::http(fake.url()).oauth(oauth)).await;
    assert!(
        fault.error.to_string().contains("the address 169.254.169.254 is not allowed"),
        "{fault:?}"
    );
}

#[tokio::test]
async fn allowed_addresses_depend_on_the_server() {
    genkit_http_client::internal::net::install_crypto();
    let may = |resource: &str, private: bool, address: &str| {
        let reach = AddressPolicy::for_resource(&resource.parse().unwrap(), private);
        reach.check_url(&format!("https://{address}/token").parse::<Url>().unwrap()).is_ok()
    };
    let (public, local) = ("https://mcp.example.com/mcp", "http://127.0.0.1:1/mcp");
    for (address, public_may, intranet_may, local_may) in [
        ("9.9.9.9", true, true, true),
        ("[2606:4700::1]", true, true, true),
        ("127.0.0.1", false, false, true),
        ("[::1]", false, false, true),
        ("[::ffff:127.0.0.1]", false, false, true),
        ("10.0.0.9", false, true, false),
        ("[::ffff:10.0.0.9]", false, true, false),
        ("[fd00::1]", false, true, false),
        ("100.64.0.1", false, true, false),
        ("169.254.169.254", false, false, false),
        ("[fe80::1]", false, false, false),
        ("[64:ff9b::a9fe:a9fe]", false, false, false),
        ("0.0.0.0", false, false, false),
        ("224.0.0.1", false, false, false),
    ] {
        assert_eq!(may(public, false, address), public_may, "{address}");
        assert_eq!(may(public, true, address), intranet_may, "{address}");
        assert_eq!(may(local, false, address), local_may, "{address}");
        assert_eq!(may("https://10.0.0.1/mcp", false, address), intranet_may, "{address}");
    }
    // The addresses that a name resolves to are checked as well.
    let name = || "localhost".parse().unwrap();
    let reach = AddressPolicy::for_resource(&public.parse().unwrap(), true);
    assert!(reach.resolve(name()).await.is_err());
    let reach = AddressPolicy::for_resource(&local.parse().unwrap(), false);
    assert!(reach.resolve(name()).await.is_ok_and(|mut found| found.next().is_some()));
}

#[tokio::test]
async fn secret_is_for_the_issuer_that_saw_it_first() {
    let moved = Arc::new(AtomicBool::new(false));
    let other = Fake::start(|request| match request.path.as_str() {
        "/token" => Answer::json(&json!({"access_token": "t", "token_type": "Bearer"})),
        _ => authorization_server(request, &["client_secret_basic"]),
    })
    .await;
    let (elsewhere, now) = (other.origin.clone(), Arc::clone(&moved));
    let fake = Fake::start(move |request| match request.path.as_str() {
        "/token" => Answer::json(&json!({"access_token": "t", "token_type": "Bearer"})),
        "/.well-known/oauth-protected-resource/mcp" if now.load(Ordering::Relaxed) => {
            Answer::json(&json!({
                "resource": format!("{}/mcp", origin(request)), "authorization_servers": [elsewhere],
            }))
        }
        "/mcp" if request.header("authorization").is_none() || now.load(Ordering::Relaxed) => {
            let at = metadata_address(request);
            let bearer = format!("Bearer resource_metadata=\"{at}\"");
            Answer::status(401).header("WWW-Authenticate", bearer)
        }
        "/mcp" => mcp(request),
        _ => authorization_server(request, &["client_secret_basic"]),
    })
    .await;
    let oauth = OAuth::client_credentials("me", "secret");
    let client = open(&connector(&ServerConfig::http(fake.url()).oauth(oauth))).await.unwrap();
    moved.store(true, Ordering::Relaxed);
    let error = explain_error(&list(&client).await.unwrap_err()).unwrap().error;
    assert!(error.to_string().contains("set `.issuer(..)` to the"), "{error}");
    assert!(other.seen(|request| request.path == "/token").is_empty());
}

#[tokio::test]
async fn name_that_leads_to_a_forbidden_address_is_an_unknown_host() {
    let policy = AddressPolicy::for_resource(&"https://mail.example.com".parse().unwrap(), false);
    let url: Url = "http://localhost:1/token".parse().unwrap();
    let client = for_oauth(&url, false, &policy, &Network::default()).unwrap();
    let error = client.get(url).send().await.unwrap_err();
    let failure = RequestTarget::new("T").request_error(&error);
    let text = failure.to_string();
    assert!(text.starts_with("cannot resolve the host of T: the address"), "{text}");
    assert_eq!(failure.kind, ErrorKind::Unavailable);
}
