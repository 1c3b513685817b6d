//! Tests of the server with requests from the CLI, and with requests that must be rejected.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::routes::ReflectionServer;
use crate::actions::ActionsByKey;
use genkit::{actions, flow};
use genkit_agent::Instance;
use genkit_core::{Chunks, Context, Registry, Result, Tool};

/// Greets a person.
#[flow]
async fn greet(who: String) -> String {
    format!("hello {who}")
}

/// Counts.
#[flow]
async fn count(chunks: &Chunks<u32>, n: u32) -> Result<u32> {
    for i in 1..=n {
        chunks.send(i).await?;
    }
    Ok(n)
}

fn server_of(registry: Registry) -> ReflectionServer {
    let actions = ActionsByKey::default();
    actions.add(&Instance::builder().registry(registry).build().unwrap());
    ReflectionServer {
        actions,
        id: "7-3100".to_owned(),
        takes_telemetry: false,
        found: tokio::sync::watch::Sender::new(false),
        room: genkit_http_server::internal::BodyBudget::new(1024 * 1024),
        memory: genkit_http_server::internal::FairLimit::for_memory(0),
    }
}

fn server() -> ReflectionServer {
    server_of(Registry::new().add(actions![greet, count]))
}

async fn ask(
    server: &ReflectionServer,
    method: &str,
    uri: &str,
    body: impl Into<Body>,
) -> Response {
    let request = Request::builder().method(method).uri(uri).header("host", "localhost:3100");
    server.handle_request(request.body(body.into()).unwrap()).await
}

async fn text(response: Response) -> (StatusCode, String) {
    assert_eq!(response.headers()["x-genkit-version"], env!("CARGO_PKG_VERSION"));
    let (status, body) = (response.status(), response.into_body());
    (status, String::from_utf8(to_bytes(body, usize::MAX).await.unwrap().into()).unwrap())
}

async fn get(uri: &str) -> (StatusCode, String) {
    text(ask(&server(), "GET", uri, "").await).await
}

async fn post(uri: &str, body: Value) -> (StatusCode, String) {
    text(ask(&server(), "POST", uri, body.to_string()).await).await
}

#[tokio::test]
async fn health_is_of_the_program_that_is_meant() {
    let ok = (StatusCode::OK, "OK".to_owned());
    assert_eq!(get("/api/__health").await, ok);
    assert_eq!(get("/api/__health?id=7-3100").await, ok);
    assert_eq!(get("/api/__health?x&id=7%2D3100").await, ok);
    assert_eq!(get("/api/__health?id=8-3100").await.0, StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test]
async fn actions_and_values_are_listed() {
    let (status, body) = get("/api/actions").await;
    let listed: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, &listed["/flow/greet"]["name"]), (StatusCode::OK, &json!("greet")));
    assert_eq!(get("/api/envs").await.1, r#"["dev"]"#);
    assert_eq!(get("/api/values?type=middleware").await, (StatusCode::OK, "{}".to_owned()));
    for uri in ["/api/values?type=nosuch", "/api/values"] {
        assert_eq!(get(uri).await.0, StatusCode::BAD_REQUEST, "{uri}");
    }
    assert_eq!(post("/api/notify", json!({"telemetryServerUrl": "x"})).await.0, StatusCode::OK);
    assert_eq!(get("/api/runAction").await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn plain_run_answers_with_its_result_and_its_trace() {
    let body = json!({"key": "/flow/greet", "input": {"who": "Ann"}}).to_string();
    let response = ask(&server(), "POST", "/api/runAction", body).await;
    let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
    let trace_id = header("x-genkit-trace-id");
    assert_eq!((trace_id.len(), header("x-genkit-span-id").len()), (32, 16));
    assert_eq!(header("content-type"), "application/json");
    let (status, body) = text(response).await;
    let telemetry = json!({ "traceId": trace_id });
    let expected = json!({"result": "hello Ann", "telemetry": telemetry});
    assert_eq!((status, serde_json::from_str::<Value>(&body).unwrap()), (StatusCode::OK, expected));
}

#[tokio::test]
async fn streamed_run_is_lines_and_its_end_has_no_newline() {
    let (status, body) =
        post("/api/runAction?stream=true", json!({"key": "/flow/count", "input": {"n": 2}})).await;
    assert_eq!(status, StatusCode::OK);
    assert!(body.starts_with("1\n2\n{\"result\":2,\"telemetry\":{\"traceId\":\""), "{body}");
    assert!(!body.ends_with('\n'));
}

#[tokio::test]
async fn failure_is_reported_in_the_cli_format() {
    for uri in ["/api/runAction", "/api/runAction?stream=true"] {
        let (status, body) = post(uri, json!({"key": "/flow/greet"})).await;
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!((status, &body["error"]["code"]), (StatusCode::OK, &json!(3)), "{uri}");
        assert!(body["error"]["details"]["traceId"].is_string());
        let (status, body) = post(uri, json!({"key": "/flow/nosuch"})).await;
        assert_eq!((status, &*body), (StatusCode::NOT_FOUND, "action /flow/nosuch not found"));
    }
    let (status, body) = text(ask(&server(), "POST", "/api/runAction", "{").await).await;
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, &body["code"]), (StatusCode::BAD_REQUEST, &json!(3)));
}

#[tokio::test]
async fn cancelling_needs_a_trace_that_runs() {
    let (status, body) = post("/api/cancelAction", json!({})).await;
    assert_eq!((status, &*body), (StatusCode::BAD_REQUEST, r#"{"error":"traceId is required"}"#));
    let (status, body) = post("/api/cancelAction", json!({"traceId": "ab"})).await;
    let message = r#"{"message":"Action not found or already completed"}"#;
    assert_eq!((status, &*body), (StatusCode::NOT_FOUND, message));
}

#[tokio::test]
async fn pages_and_other_hosts_are_rejected_before_anything_is_read() {
    for (name, value) in [("host", "evil.example"), ("origin", "https://evil.example")] {
        let request = Request::builder().method("POST").uri("/api/runAction");
        let request = if name == "host" { request } else { request.header("host", "localhost") };
        let body = Body::from(json!({"key": "/flow/greet", "input": {"who": "Eve"}}).to_string());
        let response =
            server().handle_request(request.header(name, value).body(body).unwrap()).await;
        assert_eq!(text(response).await.0, StatusCode::FORBIDDEN, "{name}");
    }
}

#[tokio::test]
async fn body_has_a_limit() {
    let sized = |bytes: usize| format!("{{\"key\":\"{}\"}}", "x".repeat(bytes - 10));
    let answer =
        async |bytes| text(ask(&server(), "POST", "/api/runAction", sized(bytes)).await).await.0;
    assert_eq!(answer(32 * 1024 * 1024).await, StatusCode::NOT_FOUND);
    assert_eq!(answer(32 * 1024 * 1024 + 1).await, StatusCode::PAYLOAD_TOO_LARGE);
    let deep = format!("{{\"key\":\"x\",\"input\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
    let (status, _) = text(ask(&server(), "POST", "/api/runAction", deep).await).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn inputs_of_running_actions_are_bounded() {
    let server = server_of(endless().0);
    let free = server.memory.count_free();
    let mut running = Vec::new();
    // Each input is larger than a twentieth of the memory.
    let input = json!({ "text": "x".repeat(7_000_000) });
    let body = json!({ "key": "/tool/endless", "input": input }).to_string();
    let rejected = loop {
        let response = ask(&server, "POST", "/api/runAction?stream=true", body.clone()).await;
        if response.status() != StatusCode::OK {
            break text(response).await;
        }
        running.push(response);
        assert!(running.len() < 20, "each input is kept");
    };
    assert_eq!(rejected.0, StatusCode::TOO_MANY_REQUESTS, "{}", rejected.1);
    assert!(running.len() > 5, "{}", running.len());
    drop(running);
    assert_eq!(server.memory.count_free(), free);
}

/// Returns a tool that never ends, and a receiver that is notified when its future is dropped.
fn endless() -> (Registry, tokio::sync::watch::Receiver<bool>) {
    let (alive, gone) = tokio::sync::watch::channel(false);
    struct Gone(tokio::sync::watch::Sender<bool>);
    impl Drop for Gone {
        fn drop(&mut self) {
            self.0.send_replace(true);
        }
    }
    let alive = Arc::new(alive);
    let tool = Tool::builder("endless", "Never ends.")
        .input_schema(json!({"type": "object"}))
        .handler(move |_: Context, _: Value| {
            let gone = Gone((*alive).clone());
            async move {
                let _gone = gone;
                std::future::pending::<()>().await;
                Ok("never")
            }
        });
    (Registry::new().add(tool), gone)
}

/// Starts the endless tool over a socket; returns the socket and the trace id from the head.
async fn open_stream(server: ReflectionServer) -> (TcpStream, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = Arc::new(server);
    let answer = move |request: Request| {
        let server = Arc::clone(&server);
        async move { server.handle_request(request).await }
    };
    let app = axum::Router::new().fallback(answer);
    tokio::spawn(async move { axum::serve(listener, app).await });
    let mut socket = TcpStream::connect(address).await.unwrap();
    let body = r#"{"key":"/tool/endless","input":{}}"#;
    let length = body.len();
    let head = format!(
        "POST /api/runAction HTTP/1.1\r\nhost: {address}\r\ncontent-length: {length}\r\n\r\n"
    );
    socket.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
    let (mut read, mut piece) = (String::new(), [0; 1024]);
    while !read.contains("\r\n\r\n") {
        let count = socket.read(&mut piece).await.unwrap();
        assert!(count > 0, "{read}");
        read.push_str(std::str::from_utf8(&piece[..count]).unwrap());
    }
    let (_, rest) = read.split_once("x-genkit-trace-id: ").expect("the trace id");
    (socket, rest[..32].to_owned())
}

#[tokio::test]
async fn head_comes_while_the_action_runs_and_its_trace_cancels_it() {
    let (registry, mut gone) = endless();
    let server = server_of(registry);
    let actions = server.actions.clone();
    let (mut socket, trace_id) = open_stream(server).await;
    assert!(actions.cancel_run(&trace_id));
    let (mut read, mut piece) = (String::new(), [0; 1024]);
    while !read.contains("Action was cancelled") {
        let count = socket.read(&mut piece).await.unwrap();
        assert!(count > 0, "{read}");
        read.push_str(std::str::from_utf8(&piece[..count]).unwrap());
    }
    gone.wait_for(|gone| *gone).await.unwrap();
}

#[tokio::test]
async fn client_that_leaves_stops_the_action() {
    let (registry, mut gone) = endless();
    let (socket, _) = open_stream(server_of(registry)).await;
    drop(socket);
    let left = tokio::time::timeout(Duration::from_secs(20), gone.wait_for(|gone| *gone)).await;
    assert!(left.is_ok(), "it continues without a client");
}

#[tokio::test(start_paused = true)]
async fn runtime_file_is_rewritten_until_the_tools_connect() {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::runtime_file::RuntimeFile;

    let root = super::create_test_folder("announced");
    let address = "127.0.0.1:1".parse().unwrap();
    let written = Arc::new(AtomicUsize::new(0));
    let write = {
        let (root, written) = (root.clone(), Arc::clone(&written));
        move || {
            written.fetch_add(1, Ordering::SeqCst);
            std::future::ready(RuntimeFile::write(&root, "x", address))
        }
    };
    let found = tokio::sync::watch::Sender::new(false);
    let announced = super::keep_announced(write().await.unwrap(), found.subscribe(), write);
    let announced = tokio::spawn(announced);
    tokio::time::sleep(Duration::from_millis(5_000)).await;
    assert_eq!(written.load(Ordering::SeqCst), 3);
    found.send_replace(true);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(written.load(Ordering::SeqCst), 3, "it was found");
    assert_eq!(std::fs::read_dir(root.join(".genkit/runtimes")).unwrap().count(), 1);
    announced.abort();
    let _ = announced.await;
    assert_eq!(std::fs::read_dir(root.join(".genkit/runtimes")).unwrap().count(), 0);
    std::fs::remove_dir_all(root).unwrap();
}
