//! Tests of clients of the AI SDK that reconnect to a run.

use axum::Router;
use axum::response::Response;
use futures_util::StreamExt as _;
use genkit::model::{FnModel, GenerateChunk, from_fn};
use genkit::sessions::Agent;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

use super::*;

/// An endpoint whose model sends a word for each permit.
struct SlowChat {
    endpoint: Arc<AguiEndpoint>,
    words: Arc<Semaphore>,
}

fn by_user(
    request: FlowRequest,
) -> std::future::Ready<std::result::Result<Value, genkit_core::HandlerError>> {
    std::future::ready(match request.header("x-user") {
        Some("") | None => {
            Err(genkit::Error::new(genkit_core::ErrorKind::Unauthenticated, "who?").into())
        }
        Some(user) => Ok(json!({"auth": {"uid": user}})),
    })
}

fn count_request(chat: &str) -> String {
    let parts = json!([{"type": "text", "text": "Count."}]);
    let messages = json!([{"id": "u1", "role": "user", "parts": parts}]);
    json!({"id": chat, "messages": messages, "trigger": "submit-message"}).to_string()
}

/// Returns a model that sends a word for each permit, up to three.
fn slow_model(words: &Arc<Semaphore>) -> FnModel {
    let permits = Arc::clone(words);
    from_fn("slow", move |_, chunks| {
        let permits = Arc::clone(&permits);
        async move {
            for word in ["one ", "two ", "three"] {
                permits.acquire().await.expect("an open semaphore").forget();
                chunks.send(GenerateChunk::from_text(word));
            }
            "one two three".to_owned()
        }
    })
}

impl SlowChat {
    fn new(keeps: bool, configure: impl FnOnce(AguiServer) -> AguiServer) -> Self {
        let words = Arc::new(Semaphore::new(0));
        let model = slow_model(&words);
        let server = match keeps {
            true => {
                AguiServer::new(Agent::builder("keeper").model(model).build().expect("an agent"))
            }
            false => AguiServer::new(genkit::generate(()).model(model)),
        };
        Self { endpoint: with(configure(server.context_provider(by_user))), words }
    }

    async fn ask(&self, chat: &str) -> Stream {
        let request = Request::post("/agui").header("host", "localhost").header("x-user", "ann");
        let request = request.body(Body::from(count_request(chat))).expect("a request");
        Stream::new(self.endpoint.answer(request).await)
    }

    async fn reconnect(&self, chat: &str, user: &str) -> Response {
        self.get(chat, Request::get("/agui/c/stream").header("x-user", user)).await
    }

    async fn get(&self, chat: &str, request: axum::http::request::Builder) -> Response {
        let request = request.header("host", "localhost").body(Body::empty()).expect("a request");
        self.endpoint.resume_stream(chat, request).await
    }
}

/// The frames of a response.
struct Stream(axum::body::BodyDataStream);

impl Stream {
    fn new(response: Response) -> Self {
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()["x-vercel-ai-ui-message-stream"], "v1");
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self(response.into_body().into_data_stream())
    }

    /// Reads until the received text ends with `end`.
    async fn read_to(&mut self, end: &str) -> String {
        let mut text = String::new();
        while !text.trim_end().ends_with(end) {
            let frame = self.0.next().await.expect(&text).expect("bytes");
            text.push_str(std::str::from_utf8(&frame).expect("text"));
        }
        text
    }
}

/// Returns the deltas of a stream.
fn deltas(stream: &str) -> String {
    let parts = stream.split("\n\n").filter_map(|frame| frame.strip_prefix("data: {"));
    let parts =
        parts.map(|part| serde_json::from_str::<Value>(&format!("{{{part}")).expect("JSON"));
    parts.filter_map(|part| part["delta"].as_str().map(str::to_owned)).collect()
}

const ONE: &str = r#""delta":"one "}"#;

#[tokio::test]
async fn client_that_reconnects_receives_the_run_from_its_beginning_and_its_rest() {
    for keeps in [false, true] {
        let chat = SlowChat::new(keeps, |server| server.durable_streams(true));
        let before = chat.reconnect("c 1", "ann").await;
        assert_eq!(before.status(), StatusCode::NO_CONTENT);
        let mut first = chat.ask("c 1").await;
        chat.words.add_permits(1);
        let seen = first.read_to(ONE).await;
        // The client loses its connection, and two tabs reconnect.
        drop(first);
        let mut tab = Stream::new(chat.reconnect("c 1", "ann").await);
        let mut again = Stream::new(chat.reconnect("c 1", "ann").await);
        assert_eq!(tab.read_to(ONE).await, seen, "keeps: {keeps}");
        chat.words.add_permits(2);
        let rest = tab.read_to("[DONE]").await;
        assert_eq!(deltas(&rest), "two three");
        assert_eq!(again.read_to("[DONE]").await, format!("{seen}{rest}"));
        assert!(rest.contains(r#""type":"finish""#), "{rest}");
        // Once the run has ended, no stream can be resumed.
        while chat.reconnect("c 1", "ann").await.status() != StatusCode::NO_CONTENT {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test]
async fn run_of_another_caller_or_chat_does_not_exist() {
    let chat = SlowChat::new(false, |server| server.durable_streams(true));
    let mut own = chat.ask("c1").await;
    chat.words.add_permits(1);
    own.read_to(ONE).await;
    assert_eq!(chat.reconnect("c1", "bob").await.status(), StatusCode::NO_CONTENT);
    assert_eq!(chat.reconnect("c2", "ann").await.status(), StatusCode::NO_CONTENT);
    assert_eq!(chat.reconnect(&"c".repeat(10_000), "ann").await.status(), StatusCode::NO_CONTENT);
    assert_eq!(chat.reconnect("c1", "").await.status(), StatusCode::UNAUTHORIZED);
    let posted = chat.get("c1", Request::post("/agui/c1/stream").header("x-user", "ann")).await;
    assert_eq!(posted.status(), StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(posted.headers()["allow"], "GET, OPTIONS");
    let foreign = Request::get("/agui/c1/stream").header("x-user", "ann");
    let foreign = chat.get("c1", foreign.header("origin", "https://evil.example")).await;
    assert_eq!(foreign.status(), StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn readers_of_a_run_take_places_of_their_client() {
    let chat = SlowChat::new(false, |server| server.durable_streams(true).max_in_flight(6));
    let mut own = chat.ask("c1").await;
    chat.words.add_permits(1);
    own.read_to(ONE).await;
    // Readers are counted apart from the run and its first reader.
    let mut readers = Vec::new();
    for _ in 0..3 {
        readers.push(chat.reconnect("c1", "ann").await);
    }
    assert_eq!(readers[2].status(), StatusCode::OK);
    let refused = chat.reconnect("c1", "ann").await;
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    // A slot is free again after a reader has disconnected.
    drop(readers.pop());
    while chat.reconnect("c1", "ann").await.status() != StatusCode::OK {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn without_durable_streams_no_run_is_active_and_a_run_ends_with_its_client() {
    let chat = SlowChat::new(false, |server| server);
    let mut own = chat.ask("c1").await;
    chat.words.add_permits(1);
    own.read_to(ONE).await;
    assert_eq!(chat.reconnect("c1", "ann").await.status(), StatusCode::NO_CONTENT);
    assert_eq!(Arc::strong_count(&chat.words), 3, "the test, the model and the run");
    drop(own);
    while Arc::strong_count(&chat.words) > 2 {
        tokio::task::yield_now().await;
    }
}

/// Sends a request over a new connection and reads the response up to `end`.
async fn exchange(address: std::net::SocketAddr, head: &str, body: &str, end: &str) -> String {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let length = body.len();
    let request = format!(
        "{head} HTTP/1.1\r\nhost: localhost\r\nx-user: ann\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).await.expect("a request");
    let mut seen = String::new();
    while !seen.contains(end) {
        let mut bytes = [0; 4096];
        let read = stream.read(&mut bytes).await.expect("bytes");
        assert_ne!(read, 0, "{seen}");
        seen.push_str(std::str::from_utf8(&bytes[..read]).expect("text"));
    }
    seen
}

#[tokio::test]
async fn router_below_a_path_with_parameters_finds_the_chat() {
    for path in ["/", "/agui"] {
        let words = Arc::new(Semaphore::new(1));
        let server = AguiServer::new(genkit::generate(()).model(slow_model(&words)));
        let chat = server.context_provider(by_user).durable_streams(true).path(path);
        let app = Router::new().nest("/shops/{shop}", chat.router().expect("a router"));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(async move { axum::serve(listener, app).await });
        let path = path.trim_end_matches('/');
        exchange(address, &format!("POST /shops/7{path}"), &count_request("c/1 é"), ONE).await;
        let get = format!("GET /shops/7{path}/c%2F1%20%C3%A9/stream");
        let seen = exchange(address, &get, "", ONE).await;
        assert!(seen.starts_with("HTTP/1.1 200"), "{seen}");
        let get = format!("GET /shops/7{path}/other/stream");
        exchange(address, &get, "", "HTTP/1.1 204").await;
    }
}
