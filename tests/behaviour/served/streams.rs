//! Serving over byte streams of the program: `McpServer::serve`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use genkit::mcp::McpServer;
use genkit::mcp::rmcp::model::CallToolRequestParams;
use genkit::mcp::rmcp::service::RunningService;
use genkit::mcp::rmcp::{RoleClient, ServiceExt as _};
use genkit::mcp::server::{NextRequest, Principal, ServedRequest, TokenError, on_request};
use genkit::{Genkit, Registry, Result, tool, tools};
use tokio::net::UnixStream;
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;

use crate::logged::Log;

/// Adds.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Deletes everything.
#[tool(permit = "admin")]
async fn wipe() -> String {
    "wiped".to_owned()
}

/// Waits until it is released.
#[tool]
async fn wait(finish: &Arc<Notify>) -> String {
    finish.notified().await;
    "finished".to_owned()
}

/// Fails.
#[tool]
async fn fail() -> Result<String> {
    Err(std::io::Error::other("cannot open /etc/secret"))?
}

fn server(finish: &Arc<Notify>) -> McpServer {
    let registry = Registry::new().add(tools![add, wipe, wait, fail]);
    Genkit::builder().registry(registry).state(Arc::clone(finish)).build().unwrap().serve_mcp()
}

/// Connects rmcp's client to `server` over a pair of Unix sockets.
async fn connect(server: McpServer) -> (RunningService<RoleClient, ()>, JoinHandle<Result<()>>) {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let (read, write) = ours.into_split();
    let serving = tokio::spawn(server.serve(read, write));
    let (read, write) = theirs.into_split();
    (().serve((read, write)).await.unwrap(), serving)
}

async fn call(client: &RunningService<RoleClient, ()>, name: &'static str) -> Option<String> {
    let mut params = CallToolRequestParams::new(name);
    if name == "add" {
        params.arguments = serde_json::json!({"a": 2, "b": 3}).as_object().cloned();
    }
    let result = client.call_tool(params).await.ok()?;
    Some(result.content[0].as_text().unwrap().text.clone())
}

#[tokio::test]
async fn client_of_the_sdk_is_served_over_a_unix_socket_until_it_disconnects() {
    let (log, _guard) = Log::listening();
    let count = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&count);
    let counts = on_request(move |_: ServedRequest, next: NextRequest| {
        counted.fetch_add(1, Ordering::SeqCst);
        next.run()
    });
    let ada = Principal::new("ada").with_scopes(["admin"]);
    let server = server(&Arc::default()).middleware(counts).extension(ada);
    let (client, serving) = connect(server).await;
    assert_eq!(client.list_all_tools().await.unwrap().len(), 4);
    assert_eq!(call(&client, "add").await.unwrap(), "5");
    assert_eq!(call(&client, "wipe").await.unwrap(), "wiped");
    assert_eq!(count.load(Ordering::SeqCst), 3);
    // The client is not the user who started the program, so it does not read errors of libraries.
    assert!(!call(&client, "fail").await.unwrap().contains("secret"));
    client.cancel().await.unwrap();
    serving.await.unwrap().unwrap();
    let mut events = log.take("");
    events.retain(|event| event.starts_with("genkit::audit "));
    assert!(events.iter().all(|event| event.contains("ada")), "{events:?}");
    assert_eq!(events.len(), 3, "{events:?}");
}

#[tokio::test]
async fn client_without_the_scopes_of_its_principal_is_rejected() {
    for server in [server(&Arc::default()), server(&Arc::default()).extension(Principal::new("bo"))]
    {
        let (client, _serving) = connect(server).await;
        assert_eq!(client.list_all_tools().await.unwrap().len(), 3);
        assert_eq!(call(&client, "wipe").await, None);
    }
}

#[tokio::test]
async fn stopped_server_finishes_its_calls_and_returns() {
    let finish = Arc::new(Notify::new());
    let (stop, stopped) = oneshot::channel::<()>();
    let server = server(&finish).shutdown(async { drop(stopped.await) });
    let (client, serving) = connect(server).await;
    let client = Arc::new(client);
    let caller = Arc::clone(&client);
    let waiting = tokio::spawn(async move { call(&caller, "wait").await });
    while !matches!(call(&client, "add").await.as_deref(), Some("5")) {}
    tokio::time::sleep(Duration::from_millis(50)).await;
    stop.send(()).unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    finish.notify_one();
    assert_eq!(waiting.await.unwrap().as_deref(), Some("finished"));
    serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn tokens_cannot_identify_the_client_of_a_byte_stream() {
    let server = || {
        let verify = |_: String| async { Err::<Principal, _>(TokenError::invalid("unknown")) };
        server(&Arc::default()).authenticate(verify)
    };
    let error = server().serve(tokio::io::empty(), tokio::io::sink()).await.unwrap_err();
    assert!(error.to_string().contains("`.extension(Principal::new(..))`"), "{error}");
    let (client, _serving) = connect(server().extension(Principal::new("ada"))).await;
    assert_eq!(call(&client, "add").await.unwrap(), "5");
}
