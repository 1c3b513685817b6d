//! Tests of access that a user grants: requesting, renewing, widening and storing it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest};
use serde_json::{Value, json};

use crate::config::ServerConfig;
use crate::transport::http::tests::fake::{Answer, Fake, Request, mcp};
use crate::transport::http::tests::{Client, connector, explain_error, fault, list, open};
use crate::transport::oauth::{CredentialStore, OAuth};
use genkit_core::{Error, ErrorKind};

pub(crate) fn origin(request: &Request) -> String {
    format!("http://{}", request.header("host").unwrap())
}

/// Returns the URL of the MCP server's resource metadata.
pub(crate) fn metadata_address(request: &Request) -> String {
    format!("{}/.well-known/oauth-protected-resource/mcp", origin(request))
}

/// Returns the response to a request without access.
pub(crate) fn refusal(request: &Request) -> Answer {
    let at = metadata_address(request);
    let header = format!("Bearer resource_metadata=\"{at}\", scope=\"read\"");
    Answer::status(401).header("WWW-Authenticate", header)
}

/// Returns the authorization server's response to a request for metadata or a registration.
pub(crate) fn authorization_server(request: &Request, methods: &[&str]) -> Answer {
    let origin = origin(request);
    let at = |path: &str| format!("{origin}{path}");
    match request.path.as_str() {
        "/.well-known/oauth-protected-resource/mcp" => Answer::json(&json!({
            "resource": at("/mcp"), "authorization_servers": [origin],
        })),
        "/.well-known/oauth-authorization-server" => Answer::json(&json!({
            "issuer": origin,
            "authorization_endpoint": at("/authorize"),
            "token_endpoint": at("/token"),
            "registration_endpoint": at("/register"),
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": methods,
        })),
        "/register" => Answer::json(&json!({
            "client_id": "registered", "client_secret": "given",
            "redirect_uris": request.json()["redirect_uris"],
        })),
        _ => Answer::status(404),
    }
}

/// A server whose list requires `read` and whose tool requires `write`; it accepts only the newest token.
struct World {
    fake: Fake,
    /// The number of issued tokens, and the scopes of the newest one.
    newest: Arc<Mutex<(usize, String)>>,
}

impl World {
    async fn start(seconds: u64) -> Self {
        let newest = Arc::new(Mutex::new((0, String::new())));
        let state = Arc::clone(&newest);
        let asked = Mutex::new(String::new());
        let fake = Fake::start(move |request| match request.path.split('?').next().unwrap() {
            "/authorize" => {
                *asked.lock().unwrap() = request.param("scope").unwrap_or_default();
                let state = request.param("state").unwrap();
                let back = request.param("redirect_uri").unwrap();
                Answer::status(302).header("Location", format!("{back}?code=c&state={state}"))
            }
            "/token" => {
                let mut newest = state.lock().unwrap();
                let scope = match request.param("grant_type").as_deref() {
                    Some("authorization_code") => asked.lock().unwrap().clone(),
                    _ => newest.1.clone(),
                };
                *newest = (newest.0 + 1, scope.clone());
                Answer::json(&json!({
                    "access_token": format!("t{}", newest.0), "token_type": "Bearer",
                    "refresh_token": "r", "expires_in": seconds, "scope": scope,
                }))
            }
            "/mcp" => {
                let newest = state.lock().unwrap();
                let known = format!("Bearer t{}", newest.0);
                let at = metadata_address(request);
                let needed = if request.is("tools/call") { "write" } else { "read" };
                let bearer = format!("Bearer resource_metadata=\"{at}\", scope=\"{needed}\"");
                if request.header("authorization") != Some(&known) {
                    return Answer::status(401).header("WWW-Authenticate", bearer);
                }
                if !newest.1.split(' ').any(|scope| scope == needed) {
                    let more = format!("{bearer}, error=\"insufficient_scope\"");
                    return Answer::status(403).header("WWW-Authenticate", more);
                }
                mcp(request)
            }
            _ => authorization_server(request, &["client_secret_basic"]),
        })
        .await;
        Self { fake, newest }
    }

    fn asked(&self, path: &str) -> usize {
        self.fake.seen(|request| request.path.split('?').next() == Some(path)).len()
    }

    /// Invalidates all tokens on the server, but keeps their scopes.
    fn revoke(&self) {
        self.newest.lock().unwrap().0 += 100;
    }
}

/// Returns settings with a user who grants access.
fn oauth() -> OAuth {
    OAuth::new().on_authorize(|url| async move { Ok(visit(&url).await) })
}

/// Opens a URL like a browser, and returns the `Location` of the response.
pub(crate) async fn visit(url: &str) -> String {
    let browser = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap();
    let answer = browser.get(url).send().await.unwrap();
    answer.headers()["location"].to_str().unwrap().to_owned()
}

/// Calls a tool until a token has been granted for it. The fake server accepts the call and sends nothing more.
async fn call_until_granted(client: &Client, world: &World) {
    let request = CallToolRequest::new(CallToolRequestParams::new("send"));
    let call = client.send_request(ClientRequest::CallToolRequest(request));
    let tokens = || world.newest.lock().unwrap().0;
    let before = tokens();
    let is_granted = async {
        while tokens() == before {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let done = async {
        tokio::select! {
            done = call => panic!("the call ended: {done:?}"),
            () = is_granted => {}
        }
    };
    tokio::time::timeout(Duration::from_secs(60), done).await.unwrap();
}

#[tokio::test]
async fn access_is_asked_for_once_renewed_and_widened() {
    let world = World::start(3600).await;
    let connector = connector(&ServerConfig::http(world.fake.url()).oauth(oauth()));
    let client = open(&connector).await.unwrap();
    let (one, two) = tokio::join!(list(&client), list(&client));
    one.unwrap();
    two.unwrap();
    assert_eq!(
        (world.asked("/register"), world.asked("/authorize"), world.asked("/token")),
        (1, 1, 1)
    );
    let code = world.fake.seen(|request| request.path == "/token").remove(0);
    assert!(code.param("code_verifier").is_some() && code.param("resource").is_some());
    // registered:given
    assert_eq!(code.header("authorization"), Some("Basic cmVnaXN0ZXJlZDpnaXZlbg=="));

    world.revoke();
    list(&client).await.unwrap();
    assert_eq!((world.asked("/authorize"), world.asked("/token")), (1, 2), "without the user");

    call_until_granted(&client, &world).await;
    assert_eq!(world.asked("/authorize"), 2);
    assert_eq!(world.newest.lock().unwrap().1, "read write", "the old scope and the new one");
    assert_eq!(world.asked("/register"), 1, "this program is already registered");
}

#[tokio::test]
async fn new_connection_has_the_access_of_the_old_one() {
    let world = World::start(3600).await;
    let connector = connector(&ServerConfig::http(world.fake.url()).oauth(oauth()));
    open(&connector).await.unwrap().cancel().await.unwrap();
    open(&connector).await.unwrap();
    assert_eq!(world.asked("/authorize"), 1);
}

#[tokio::test]
async fn expiring_token_is_refreshed_before_use() {
    let world = World::start(0).await;
    let client =
        open(&connector(&ServerConfig::http(world.fake.url()).oauth(oauth()))).await.unwrap();
    let before = world.asked("/token");
    list(&client).await.unwrap();
    assert!(world.asked("/token") > before);
    assert_eq!(world.asked("/authorize"), 1);
}

#[tokio::test]
async fn concurrent_requests_share_one_sign_in() {
    let world = World::start(3600).await;
    let count = Arc::new(AtomicUsize::new(0));
    let times = Arc::clone(&count);
    let oauth = OAuth::new().on_authorize(move |_| {
        times.fetch_add(1, Ordering::Relaxed);
        async {
            tokio::time::sleep(Duration::from_millis(200)).await;
            Err(Error::new(ErrorKind::PermissionDenied, "the user said no"))
        }
    });
    let connector = connector(&ServerConfig::http(world.fake.url()).oauth(oauth));
    let mut busy = connector.busy_state();
    let states = tokio::spawn(async move {
        let mut states = Vec::new();
        while states.len() < 2 && busy.changed().await.is_ok() {
            states.push(*busy.borrow_and_update());
        }
        states
    });
    let (one, two) = tokio::join!(open(&connector), open(&connector));
    for error in [one.map(drop).unwrap_err(), two.map(drop).unwrap_err()] {
        let error = explain_error(&error).unwrap().error;
        assert_eq!(error.kind(), ErrorKind::PermissionDenied);
        assert!(error.to_string().ends_with(": the user said no"), "{error}");
    }
    assert_eq!(count.load(Ordering::Relaxed), 1, "two requests, one question");
    assert_eq!(states.await.unwrap(), [true, false]);
}

#[tokio::test]
async fn unsolicited_callback_is_rejected() {
    let world = World::start(3600).await;
    for (answer, says) in [
        ("http://127.0.0.1/callback?code=c&state=other", "does not match the pending sign-in"),
        ("http://127.0.0.1/callback?error=access_denied&state=STATE", "access_denied"),
        ("nonsense", "does not match the pending"),
    ] {
        let oauth = OAuth::new().on_authorize(move |url| async move {
            let url = reqwest::Url::parse(&url).unwrap();
            let state = url.query_pairs().find(|(key, _)| key == "state").unwrap().1;
            Ok(answer.replace("STATE", &state))
        });
        let fault = fault(ServerConfig::http(world.fake.url()).oauth(oauth)).await;
        assert!(fault.error.to_string().contains(says), "{fault:?}");
    }
    assert_eq!(world.asked("/token"), 0);
}

#[derive(Default)]
pub(crate) struct InMemory(pub(crate) Mutex<HashMap<String, Value>>);

impl CredentialStore for InMemory {
    fn load<'a>(
        &'a self,
        server: &'a str,
    ) -> genkit_core::BoxFuture<'a, genkit_core::Result<Option<Value>>> {
        Box::pin(async move { Ok(self.0.lock().unwrap().get(server).cloned()) })
    }

    fn save<'a>(
        &'a self,
        server: &'a str,
        credentials: Option<Value>,
    ) -> genkit_core::BoxFuture<'a, genkit_core::Result<()>> {
        Box::pin(async move {
            let mut all = self.0.lock().unwrap();
            match credentials {
                Some(credentials) => all.insert(server.to_owned(), credentials),
                None => all.remove(server),
            };
            Ok(())
        })
    }
}

#[tokio::test]
async fn stored_credentials_are_reused_by_the_next_run() {
    let world = World::start(3600).await;
    let store = Arc::new(InMemory::default());
    let server =
        || ServerConfig::http(world.fake.url()).oauth(oauth().credentials(Arc::clone(&store)));
    open(&connector(&server())).await.unwrap();
    assert_eq!(store.0.lock().unwrap().keys().collect::<Vec<_>>(), [&world.fake.url()]);

    open(&connector(&server())).await.unwrap();
    assert_eq!((world.asked("/authorize"), world.asked("/token")), (1, 1));
    world.revoke();
    open(&connector(&server())).await.unwrap();
    assert_eq!(
        (world.asked("/authorize"), world.asked("/token")),
        (1, 2),
        "the client secret is stored as well"
    );

    // Another authorization server must not see what this one issued.
    let other = World::start(3600).await;
    let kept = store.0.lock().unwrap().remove(&world.fake.url()).unwrap();
    store.0.lock().unwrap().insert(other.fake.url(), kept);
    let oauth = oauth().credentials(Arc::clone(&store));
    open(&connector(&ServerConfig::http(other.fake.url()).oauth(oauth))).await.unwrap();
    assert_eq!((other.asked("/register"), other.asked("/authorize")), (1, 1));
    assert!(other.fake.seen(|r| r.param("refresh_token").is_some()).is_empty());
}
