//! Tests of renewing tokens without the user.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::access::{InMemory, authorization_server, metadata_address, visit};
use crate::config::ServerConfig;
use crate::transport::http::tests::fake::{Answer, Fake, mcp};
use crate::transport::http::tests::{connector, list, open};
use crate::transport::oauth::{CredentialStore, OAuth};
use genkit_core::{Error, ErrorKind};

/// Starts a server that accepts the tokens in `good`. Tokens are named after the grant that issued them, and are valid
/// for `seconds`. The tokens of a refresh are accepted only if `seconds` is 0.
async fn server(good: Arc<Mutex<Vec<String>>>, seconds: u64) -> Fake {
    let given = AtomicUsize::new(0);
    Fake::start(move |request| match request.path.split('?').next().unwrap() {
        "/authorize" => {
            let state = request.param("state").unwrap();
            let back = request.param("redirect_uri").unwrap();
            Answer::status(302).header("Location", format!("{back}?code=c&state={state}"))
        }
        "/token" => {
            let grant = request.param("grant_type").unwrap();
            let token = format!("{grant}{}", given.fetch_add(1, Ordering::Relaxed));
            if grant == "authorization_code" || seconds == 0 {
                good.lock().unwrap().push(token.clone());
            }
            Answer::json(&json!({
                "access_token": token, "token_type": "Bearer", "refresh_token": "r",
                "expires_in": seconds,
            }))
        }
        "/mcp" => {
            let sent = request.header("authorization").unwrap_or_default();
            if good.lock().unwrap().iter().any(|good| sent == format!("Bearer {good}")) {
                return mcp(request);
            }
            let at = metadata_address(request);
            let bearer = format!("Bearer resource_metadata=\"{at}\"");
            Answer::status(401).header("WWW-Authenticate", bearer)
        }
        _ => authorization_server(request, &["none"]),
    })
    .await
}

fn oauth() -> OAuth {
    OAuth::new().on_authorize(|url| async move { Ok(visit(&url).await) })
}

fn asked(fake: &Fake, grant: &str) -> usize {
    fake.seen(|r| r.path == "/token" && r.param("grant_type").as_deref() == Some(grant)).len()
}

#[tokio::test]
async fn rejected_refresh_asks_the_user() {
    let good = Arc::new(Mutex::new(Vec::new()));
    let fake = server(Arc::clone(&good), 3600).await;
    let client = open(&connector(&ServerConfig::http(fake.url()).oauth(oauth()))).await.unwrap();
    good.lock().unwrap().clear();
    list(&client).await.unwrap();
    assert_eq!((asked(&fake, "refresh_token"), asked(&fake, "authorization_code")), (1, 2));
}

#[tokio::test]
async fn token_refreshed_by_another_process_is_loaded_from_the_store() {
    let good = Arc::new(Mutex::new(Vec::new()));
    let fake = server(Arc::clone(&good), 0).await;
    let store = Arc::new(InMemory::default());
    let oauth = oauth().credentials(Arc::clone(&store));
    let connector = connector(&ServerConfig::http(fake.url()).oauth(oauth));
    open(&connector).await.unwrap().cancel().await.unwrap();
    let authorizer = connector.client.authorizer.as_ref().unwrap();
    // Wait for the work that the connection started.
    authorizer.access_token().await.unwrap();
    let before = asked(&fake, "refresh_token");
    {
        let mut all = store.0.lock().unwrap();
        let kept = all.get_mut(&fake.url()).unwrap();
        let response = &mut kept["credentials"]["token_response"];
        response["access_token"] = json!("theirs");
        response["expires_in"] = json!(3600);
    }
    assert_eq!(authorizer.access_token().await.unwrap().as_deref(), Some("theirs"));
    assert_eq!(asked(&fake, "refresh_token"), before);
}

/// A store that accepts only the first value.
#[derive(Default)]
struct Full(InMemory);

impl CredentialStore for Full {
    fn load<'a>(
        &'a self,
        server: &'a str,
    ) -> genkit_core::BoxFuture<'a, genkit_core::Result<Option<Value>>> {
        self.0.load(server)
    }

    fn save<'a>(
        &'a self,
        server: &'a str,
        credentials: Option<Value>,
    ) -> genkit_core::BoxFuture<'a, genkit_core::Result<()>> {
        // The registration is saved before the token.
        if self.0.0.lock().unwrap().is_empty() {
            return self.0.save(server, credentials);
        }
        Box::pin(async { Err(Error::new(ErrorKind::Internal, "the disk is full")) })
    }
}

#[tokio::test]
async fn tokens_survive_a_failed_save() {
    let good = Arc::new(Mutex::new(Vec::new()));
    let fake = server(Arc::clone(&good), 3600).await;
    let oauth = oauth().credentials(Full::default());
    let client = open(&connector(&ServerConfig::http(fake.url()).oauth(oauth))).await.unwrap();
    good.lock().unwrap().clear();
    list(&client).await.unwrap();
    assert_eq!(asked(&fake, "refresh_token"), 1, "the refresh token is still in use");
}

#[tokio::test]
async fn short_lived_token_is_not_renewed_on_each_call() {
    let good = Arc::new(Mutex::new(Vec::new()));
    // Shorter than the margin of 30 seconds before expiry.
    let fake = server(Arc::clone(&good), 25).await;
    let client = open(&connector(&ServerConfig::http(fake.url()).oauth(oauth()))).await.unwrap();
    for _ in 0..5 {
        list(&client).await.unwrap();
    }
    assert_eq!((asked(&fake, "refresh_token"), asked(&fake, "authorization_code")), (0, 1));
}
