//! Connecting and disconnecting.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use genkit::mcp::host::{CustomTransport, McpClient, McpHost, ServerConfig, ServerState};
use genkit::testing::ScriptedModel;
use genkit::{Error, ErrorKind, Registry, Result, tool, tools};
use serde_json::json;

use super::{registry, served, server, until};

/// Adds.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Returns a server that counts its connections.
fn counting(count: &Arc<AtomicUsize>) -> CustomTransport {
    let count = Arc::clone(count);
    served(&registry(tools![add]), move |server| {
        count.fetch_add(1, Ordering::SeqCst);
        server
    })
}

/// Returns a server that is never reachable.
fn dead() -> CustomTransport {
    genkit::mcp::rmcp::custom_transport(|| async {
        Err::<tokio::io::DuplexStream, _>(Error::new(ErrorKind::Unavailable, "the cable is cut"))
    })
}

/// Returns a server that accepts messages and never responds.
fn hung() -> CustomTransport {
    genkit::mcp::rmcp::custom_transport(|| async {
        let (ours, theirs) = tokio::io::duplex(1024);
        tokio::spawn(async move {
            let _open = theirs;
            std::future::pending::<()>().await;
        });
        Ok(ours)
    })
}

async fn states(host: &McpHost) -> Vec<(String, ServerState)> {
    host.status().into_iter().map(|status| (status.server, status.state)).collect()
}

#[tokio::test]
async fn dead_and_hung_servers_do_not_delay_the_host() {
    let host = McpHost::builder()
        .server("dead", dead())
        .server("good", server(&registry(tools![add])))
        .server("hung", hung().connect_timeout(Duration::from_secs(60)))
        .startup_timeout(Duration::from_millis(500))
        .build()
        .unwrap();
    let started = Instant::now();
    let model = ScriptedModel::text("Hello.");
    genkit::generate("Go.").model(model.clone()).tools(host.tools()).await.unwrap();
    assert_eq!(model.requests()[0].tools.len(), 1);
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    // The next attempt does not wait again.
    let again = Instant::now();
    assert_eq!(host.tools().await.unwrap().len(), 1);
    assert!(again.elapsed() < Duration::from_millis(400), "{:?}", again.elapsed());
    let error = host.call_tool("dead/add", json!({})).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.chain().contains("the cable is cut"), "{error}");
    let status = &host.status()[0];
    assert!(status.last_error.as_ref().unwrap().contains("the cable is cut"));
    assert_eq!(host.status()[2].state, ServerState::Connecting);
    host.close().await;
    assert!(host.status().iter().all(|status| status.state == ServerState::Closed));
}

#[tokio::test]
async fn handshake_timeout_error_suggests_a_fix() {
    let client = McpHost::builder()
        .server("hung", hung().connect_timeout(Duration::from_millis(300)))
        .probe_timeout(Duration::from_millis(100))
        .build()
        .unwrap()
        .client("hung")
        .unwrap();
    let error = client.ready().await.unwrap_err();
    assert!(error.to_string().contains("did not respond to the handshake within 300ms"), "{error}");
    assert!(error.to_string().contains(".connect_timeout(..)"), "{error}");
}

#[tokio::test]
async fn client_of_a_disabled_server_starts_it_when_it_is_enabled() {
    let count = Arc::new(AtomicUsize::new(0));
    let client = McpClient::connect("s", counting(&count).disabled(true)).await.unwrap();
    assert_eq!(client.status().state, ServerState::Disabled);
    assert_eq!(count.load(Ordering::SeqCst), 0);
    client.enable();
    assert_eq!(client.call_tool("add", json!({"a": 1, "b": 1})).await.unwrap(), 2);
    assert_eq!(client.namespaced_tools().await.unwrap()[0].name(), "s/add");
}

#[tokio::test]
async fn disabled_servers_are_left_alone_until_they_are_enabled() {
    let count = Arc::new(AtomicUsize::new(0));
    let host = McpHost::builder().server("s", counting(&count).disabled(true)).build().unwrap();
    assert_eq!(states(&host).await, [("s".to_owned(), ServerState::Disabled)]);
    assert_eq!(host.tools().await.unwrap().len(), 0);
    let error = host.call_tool("s/add", json!({"a": 1, "b": 1})).await.unwrap_err();
    assert!(error.to_string().contains("is disabled; start it with `.enable(\"s\")`"), "{error}");
    assert_eq!(count.load(Ordering::SeqCst), 0);
    host.enable("s").unwrap();
    assert_eq!(host.call_tool("s/add", json!({"a": 1, "b": 1})).await.unwrap(), 2);
    assert_eq!(host.tools().await.unwrap().len(), 1);
    host.disable("s").unwrap();
    assert_eq!(host.tools().await.unwrap().len(), 0);
    assert_eq!(states(&host).await, [("s".to_owned(), ServerState::Disabled)]);
    assert_eq!(count.load(Ordering::SeqCst), 1);
    assert!(host.enable("t").unwrap_err().to_string().contains("Unknown MCP server: t"));
}

#[tokio::test]
async fn reconnect_makes_a_new_connection_and_forgets_the_error() {
    let (count, broken) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(1)));
    let (counted, failing) = (Arc::clone(&count), Arc::clone(&broken));
    let genkit = genkit::Genkit::builder().registry(registry(tools![add])).build().unwrap();
    // The first attempt fails.
    let inner = genkit::mcp::rmcp::custom_transport(move || {
        let (count, broken, genkit) = (counted.clone(), failing.clone(), genkit.clone());
        async move {
            count.fetch_add(1, Ordering::SeqCst);
            if broken.load(Ordering::SeqCst) == 1 {
                return Err(Error::new(ErrorKind::Unauthenticated, "no key").into_fatal());
            }
            let (ours, theirs) = tokio::io::duplex(64 * 1024);
            let (read, write) = tokio::io::split(theirs);
            tokio::spawn(genkit.serve_mcp().serve(read, write));
            Ok(ours)
        }
    });
    let host = McpHost::builder().server("s", inner).build().unwrap();
    host.ready().await;
    let status = &host.status()[0];
    assert_eq!(status.state, ServerState::Failed);
    assert!(status.last_error.as_ref().unwrap().contains("no key"));
    let error = host.call_tool("s/add", json!({"a": 1, "b": 1})).await.unwrap_err();
    assert!(error.to_string().contains("retry with `.reconnect(\"s\")`"), "{error}");
    assert_eq!(count.load(Ordering::SeqCst), 1);
    broken.store(0, Ordering::SeqCst);
    host.reconnect("s").await.unwrap();
    let status = &host.status()[0];
    assert_eq!((status.state, status.last_error.clone()), (ServerState::Connected, None));
    assert_eq!(host.tools().await.unwrap().len(), 1);
    host.reconnect("s").await.unwrap();
    assert_eq!(count.load(Ordering::SeqCst), 3);
    assert_eq!(host.call_tool("s/add", json!({"a": 1, "b": 1})).await.unwrap(), 2);
}

#[tokio::test]
async fn only_changed_servers_are_reconnected() {
    let counts: Vec<_> = (0..3).map(|_| Arc::new(AtomicUsize::new(0))).collect();
    let configs: Vec<ServerConfig> = counts.iter().map(|count| counting(count).into()).collect();
    let [a, b, c] = <[ServerConfig; 3]>::try_from(configs).unwrap();
    let host = McpHost::builder().servers([("a", a.clone()), ("b", b.clone())]).build().unwrap();
    host.ready().await;
    let seen = || counts.iter().map(|count| count.load(Ordering::SeqCst)).collect::<Vec<_>>();
    assert_eq!(seen(), [1, 1, 0]);
    host.update_servers([("a", a.clone()), ("c", c.clone())]).await.unwrap();
    host.ready().await;
    assert_eq!(seen(), [1, 1, 1]);
    assert_eq!(host.tools().await.unwrap().len(), 2);
    assert!(host.client("b").is_err());
    // The same server with other settings is a different server.
    host.update_servers([("a", a.clone()), ("c", b)]).await.unwrap();
    host.ready().await;
    assert_eq!(seen(), [1, 2, 1]);
    let error = host.update_servers([("a", a.clone()), ("a", c)]).await.unwrap_err();
    assert!(error.to_string().contains("duplicate server key `a`"), "{error}");
    assert_eq!(host.clients().len(), 2);
}

#[tokio::test]
async fn names_are_prefixed_with_the_server_key() {
    for key in ["", "a/b", "a*", "a\nb", &"x".repeat(65)] {
        let error = McpHost::builder().server(key, dead()).build().unwrap_err();
        assert!(error.to_string().contains("without `/`, `*`"), "{error}");
    }
}

#[tokio::test]
async fn colliding_server_keys_are_reported() {
    let host = |keys: [&str; 3]| {
        let builder = keys.iter().fold(McpHost::builder(), |host, key| host.server(*key, dead()));
        builder.build().unwrap()
    };
    let alike = host(["my.files", "other", "my_files"]);
    let [notice] = alike.notices() else { panic!("{:?}", alike.notices()) };
    assert!(notice.contains("`my.files` and `my_files`"), "{notice}");
    assert_eq!(host(["a", "a-b", "a_b"]).notices().len(), 0);
}

#[tokio::test]
async fn connection_that_breaks_is_made_again() {
    let count = Arc::new(AtomicUsize::new(0));
    let pipes: Arc<std::sync::Mutex<Vec<tokio::task::JoinHandle<genkit::Result<()>>>>> =
        Arc::default();
    let genkit = genkit::Genkit::builder().registry(registry(tools![add])).build().unwrap();
    let (counted, kept) = (Arc::clone(&count), Arc::clone(&pipes));
    let flaky = genkit::mcp::rmcp::custom_transport(move || {
        let (count, pipes, genkit) = (counted.clone(), kept.clone(), genkit.clone());
        async move {
            count.fetch_add(1, Ordering::SeqCst);
            let (ours, theirs) = tokio::io::duplex(64 * 1024);
            let (read, write) = tokio::io::split(theirs);
            let task = tokio::spawn(genkit.serve_mcp().serve(read, write));
            pipes.lock().unwrap().push(task);
            Ok(ours)
        }
    });
    let client = McpClient::connect("s", flaky).await.unwrap();
    assert_eq!(client.call_tool("add", json!({"a": 1, "b": 1})).await.unwrap(), 2);
    pipes.lock().unwrap().drain(..).for_each(|task| task.abort());
    until("the next", async || count.load(Ordering::SeqCst) == 2).await;
    assert_eq!(client.call_tool("add", json!({"a": 1, "b": 2})).await.unwrap(), 3);
    assert_eq!(client.tools().await.unwrap().len(), 1);
    assert_eq!(count.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn tool_of_a_dropped_host_is_an_error() {
    let tools = {
        let host = super::host(server(&registry(tools![add])));
        host.tools().await.unwrap()
    };
    let model = ScriptedModel::new([
        genkit::model::ModelResponse::from_tool_requests([genkit::message::ToolRequest::new(
            "s/add",
            json!({"a": 1, "b": 1}),
        )]),
        genkit::model::ModelResponse::from_text("Hm."),
    ]);
    genkit::generate("Go.").model(model.clone()).tools(tools).await.unwrap();
    let said = model.tool_outputs("s/add")[0]["error"].to_string();
    assert!(said.contains("its host was closed") || said.contains("was dropped"), "{said}");
}

#[tokio::test]
async fn dropping_the_host_ends_its_connections() {
    /// Waits to be dropped.
    #[tool]
    async fn wait(gone: &Arc<AtomicUsize>) -> Result<String> {
        struct Guard(Arc<AtomicUsize>);
        impl Drop for Guard {
            fn drop(&mut self) {
                self.0.fetch_add(1, Ordering::SeqCst);
            }
        }
        let _guard = Guard(Arc::clone(gone));
        std::future::pending().await
    }
    let gone = Arc::new(AtomicUsize::new(0));
    let genkit = genkit::Genkit::builder()
        .registry(Registry::new().add(tools![wait]))
        .state(Arc::clone(&gone))
        .build()
        .unwrap();
    let client = McpClient::connect("s", ServerConfig::in_process(move || genkit.serve_mcp()))
        .await
        .unwrap();
    let call = client.call_tool("wait", json!({}));
    // The caller gives up, and the server is notified.
    assert!(tokio::time::timeout(Duration::from_millis(200), call).await.is_err());
    until("the cancellation", async || gone.load(Ordering::SeqCst) == 1).await;
    let calling = client.clone();
    let call = tokio::spawn(async move { calling.call_tool("wait", json!({})).await });
    tokio::time::sleep(Duration::from_millis(100)).await;
    client.close().await;
    let error = call.await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    until("the end", async || gone.load(Ordering::SeqCst) == 2).await;
}

#[tokio::test]
async fn progress_extends_the_request_timeout() {
    /// Works for a while, and tells so.
    #[tool]
    async fn work(ctx: &genkit::Context, tells: bool) -> String {
        for step in 1..=6 {
            tokio::time::sleep(Duration::from_millis(100)).await;
            if tells {
                ctx.progress((f64::from(step), 6.0)).await;
            }
        }
        "done".into()
    }
    let server = server(&registry(tools![work])).timeout(Duration::from_millis(300));
    let client = McpClient::connect("s", server).await.unwrap();
    assert_eq!(client.call_tool("work", json!({"tells": true})).await.unwrap(), "done");
    let error = client.call_tool("work", json!({"tells": false})).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DeadlineExceeded);
    assert!(error.to_string().contains("did not respond to `work` within 300ms"), "{error}");
}

#[tokio::test]
async fn items_of_a_dead_server_are_removed() {
    let alive: Arc<std::sync::Mutex<Option<tokio::task::JoinHandle<genkit::Result<()>>>>> =
        Arc::default();
    let genkit = genkit::Genkit::builder().registry(registry(tools![add])).build().unwrap();
    let kept = Arc::clone(&alive);
    let once = genkit::mcp::rmcp::custom_transport(move || {
        let (kept, genkit) = (kept.clone(), genkit.clone());
        async move {
            let mut kept = kept.lock().unwrap();
            if kept.is_some() {
                return Err(Error::new(ErrorKind::Unavailable, "never again"));
            }
            let (ours, theirs) = tokio::io::duplex(64 * 1024);
            // The server declares that its lists may be cached for an hour.
            let server = genkit.serve_mcp().cache_for(Duration::from_secs(3600));
            let (read, write) = tokio::io::split(theirs);
            *kept = Some(tokio::spawn(server.serve(read, write)));
            Ok(ours)
        }
    });
    let once = once.protocol(genkit::mcp::host::ProtocolEra::Stateless);
    let host = McpHost::builder().server("s", once).build().unwrap();
    assert_eq!(host.tools().await.unwrap().len(), 1);
    alive.lock().unwrap().as_ref().unwrap().abort();
    until("the end", async || host.status()[0].state != ServerState::Connected).await;
    assert_eq!(host.tools().await.unwrap().len(), 0);
    assert!(host.client("s").unwrap().tools().await.is_err());
}

#[tokio::test]
async fn last_requested_state_wins() {
    let host = super::host(server(&registry(tools![add])));
    host.ready().await;
    for _ in 0..3 {
        host.disable("s").unwrap();
        host.enable("s").unwrap();
        assert_eq!(host.call_tool("s/add", json!({"a": 1, "b": 1})).await.unwrap(), 2);
    }
    host.enable("s").unwrap();
    host.disable("s").unwrap();
    assert!(host.call_tool("s/add", json!({"a": 1, "b": 1})).await.is_err());
    host.enable("s").unwrap();
    assert_eq!(host.tools().await.unwrap().len(), 1);
}
