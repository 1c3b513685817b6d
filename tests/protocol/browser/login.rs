//! A login in a browser: the host logs the address, and the redirect reaches its port.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use genkit::mcp::host::{McpHost, OAuth, ServerConfig};
use genkit::{ErrorKind, Result};
use serde_json::{Value, json};
use tracing::field::{Field, Visit};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt as _};

use super::chromium::{drive, is_there};
use crate::oauth::provider::Provider;
use crate::oauth::resource::Resource;

/// The addresses that the log asks the user to open.
#[derive(Clone, Default)]
struct ToOpen(Arc<Mutex<Vec<String>>>);

impl ToOpen {
    async fn next(&self) -> String {
        for _ in 0..12_000 {
            let found = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
            if let Some(address) = found {
                return address;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("the host logged no address to open");
    }
}

impl<S: tracing::Subscriber> Layer<S> for ToOpen {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        event.record(&mut self.clone());
    }
}

impl Visit for ToOpen {
    fn record_debug(&mut self, _: &Field, value: &dyn fmt::Debug) {
        if let Some((_, address)) = format!("{value:?}").split_once("; open ") {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(address.to_owned());
        }
    }
}

/// Makes a call, with a user who logs in in the browser, and returns the final page.
async fn call(host: &McpHost, log: &ToOpen, test: &str, answer: &str) -> (Result<Value>, Value) {
    let answering = async {
        let (test, answer, address) = (test.to_owned(), answer.to_owned(), log.next().await);
        let arguments = vec![address, "ada".to_owned(), answer];
        let login = move || drive(&test, "login.mjs", || ((), arguments.clone()));
        tokio::task::spawn_blocking(login).await.expect("the login")
    };
    tokio::join!(host.call_tool("notes/whoami", json!({})), answering)
}

/// Uses another key, and restarts the server as another process. Meanwhile the host notices that it is gone.
async fn rotated(provider: Provider, mut resource: Resource) -> (Provider, Resource) {
    let restart = move || {
        provider.rotate();
        resource.restart(&provider);
        (provider, resource)
    };
    tokio::task::spawn_blocking(restart).await.expect("it is there again")
}

#[tokio::test]
async fn person_logs_in_and_is_asked_again_once_that_is_revoked() {
    if !is_there() {
        return;
    }
    let log = ToOpen::default();
    let _told = tracing::subscriber::set_default(tracing_subscriber::registry().with(log.clone()));
    let provider = Provider::start();
    let resource = Resource::serve(&provider);
    let oauth = OAuth::new().scopes(["notes:read", "notes:write"]);
    let config = ServerConfig::http(resource.url()).oauth(oauth);
    let host = McpHost::builder().server("notes", config).build().expect("a host");
    let (said, page) = call(&host, &log, "browser-login", "yes").await;
    assert_eq!(said.expect("an answer"), "ada may notes:read notes:write");
    assert!(
        page["text"].as_str().is_some_and(|text| text.contains("Access was granted")),
        "{page}"
    );
    let address = page["address"].as_str().unwrap_or_default();
    assert!(address.starts_with("http://127.0.0.1:") && address.contains("/callback?"), "{page}");
    // The key of the host's token is revoked: the host renews its access without opening a browser.
    let (provider, resource) = rotated(provider, resource).await;
    let said = host.call_tool("notes/whoami", json!({})).await.expect("an answer");
    assert_eq!((said, provider.refreshes()), (json!("ada may notes:read notes:write"), 1));
    provider.revoke();
    let (_provider, _resource) = rotated(provider, resource).await;
    let (said, _) = call(&host, &log, "browser-login-again", "yes").await;
    assert_eq!(said.expect("an answer"), "ada may notes:read notes:write");
    host.close().await;
}

#[tokio::test]
async fn denied_consent_grants_no_access() {
    if !is_there() {
        return;
    }
    let log = ToOpen::default();
    let _told = tracing::subscriber::set_default(tracing_subscriber::registry().with(log.clone()));
    let provider = Provider::start();
    let resource = Resource::serve(&provider);
    let config = ServerConfig::http(resource.url()).oauth(OAuth::new());
    let host = McpHost::builder().server("notes", config).build().expect("a host");
    let (said, page) = call(&host, &log, "browser-refusal", "no").await;
    let error = said.expect_err("no access");
    assert_eq!(error.kind(), ErrorKind::PermissionDenied, "{error}");
    assert!(page["text"].as_str().is_some_and(|text| text.contains("was not granted")), "{page}");
    host.close().await;
}
