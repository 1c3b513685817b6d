//! Clients that log in: metadata, registration, code with PKCE, refresh, revocation.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use genkit::mcp::host::{McpHost, OAuth, ServerConfig};
use serde_json::{Value, json};

use super::provider::{Provider, get};
use super::resource::Resource;
use crate::packages;
use crate::program;

/// The time limit of a client.
const PATIENCE: Duration = Duration::from_secs(60);

/// Returns access to which `who` consents, and the number of consents.
fn consenting(provider: &Provider, who: &str, scopes: &[&str]) -> (OAuth, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let (counts, login) = (Arc::clone(&asked), provider.login(who));
    let oauth = OAuth::new().scopes(scopes.iter().copied()).on_authorize(move |address| {
        counts.fetch_add(1, Ordering::SeqCst);
        let login = login.clone();
        async move {
            let back = tokio::task::spawn_blocking(move || get(&login, &[("x-address", &address)]));
            Ok(back.await.expect("the user comes back"))
        }
    });
    (oauth, asked)
}

async fn whoami(host: &McpHost) -> genkit::Result<Value> {
    host.call_tool("notes/whoami", json!({})).await
}

async fn tools(host: &McpHost) -> Vec<String> {
    let tools = host.tools().await.expect("the tools");
    let mut names: Vec<String> = tools.iter().map(|tool| tool.name().to_owned()).collect();
    names.sort();
    names
}

#[tokio::test(flavor = "multi_thread")]
async fn our_host_logs_in_renews_its_access_and_asks_again_once_that_is_revoked() {
    let provider = Provider::start();
    let mut resource = Resource::serve(&provider);
    let (oauth, asked) = consenting(&provider, "ada", &["notes:read", "notes:write"]);
    let config = ServerConfig::http(resource.url()).oauth(oauth);
    let host = McpHost::builder().server("notes", config).build().expect("a host");
    assert_eq!(whoami(&host).await.expect("an answer"), "ada may notes:read notes:write");
    assert_eq!(tools(&host).await, ["notes/whoami", "notes/write"]);
    assert_eq!((asked.load(Ordering::SeqCst), provider.refreshes()), (1, 0));
    // The key of the host's token is revoked: the host refreshes its access without asking the user.
    provider.rotate();
    resource.restart(&provider);
    assert_eq!(whoami(&host).await.expect("an answer"), "ada may notes:read notes:write");
    assert_eq!((asked.load(Ordering::SeqCst), provider.refreshes()), (1, 1));
    // The host's refresh token is revoked as well.
    provider.revoke();
    provider.rotate();
    resource.restart(&provider);
    assert_eq!(whoami(&host).await.expect("an answer"), "ada may notes:read notes:write");
    assert_eq!((asked.load(Ordering::SeqCst), provider.refreshes()), (2, 1));
    host.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn client_with_fewer_scopes_sees_fewer_tools() {
    let provider = Provider::start();
    let resource = Resource::serve(&provider);
    let (oauth, _) = consenting(&provider, "bob", &["notes:read"]);
    let config = ServerConfig::http(resource.url()).oauth(oauth);
    let host = McpHost::builder().server("notes", config).build().expect("a host");
    assert_eq!(whoami(&host).await.expect("an answer"), "bob may notes:read");
    assert_eq!(tools(&host).await, ["notes/whoami"]);
    let error = host.call_tool("notes/write", json!({})).await.expect_err("it is not there");
    assert!(!error.to_string().contains("written"), "{error}");
    host.close().await;
}

/// Returns the observations of the TypeScript SDK's client.
fn visit(generation: &[&str]) -> Value {
    let npm = packages::npm();
    let provider = Provider::start();
    let resource = Resource::serve(&provider);
    let mut node = packages::tool(Path::new("node"));
    node.current_dir(npm).arg("oauth.mjs").args(generation);
    node.arg(resource.url()).arg(provider.login("grace"));
    let ran = program::run(&mut node, PATIENCE).unwrap_or_else(|story| panic!("{story}"));
    assert_eq!(ran.code, Some(0), "the client failed\n{}", ran.story());
    let seen: Value = serde_json::from_str(&ran.stdout).expect("a document");
    assert_eq!(seen["asked"]["resource"], resource.url(), "{seen}");
    seen
}

/// The SDK requests the scope from the rejection, which is the minimum.
#[test]
fn typescript_sdk_logs_in() {
    for generation in [&[][..], &["v2"]] {
        let seen = visit(generation);
        assert_eq!(seen["said"], "grace may notes:read", "{seen}");
        assert_eq!(seen["tools"], json!(["whoami"]), "{seen}");
        assert_eq!(seen["asked"]["code_challenge_method"], "S256", "{seen}");
        let scope = seen["asked"]["scope"].as_str().expect("scopes");
        let scopes: Vec<&str> = scope.split(' ').filter(|it| *it != "offline_access").collect();
        assert_eq!(scopes, ["notes:read"], "{seen}");
        assert_eq!(seen["refreshable"], true, "{seen}");
    }
}
