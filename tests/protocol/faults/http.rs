//! Faults over HTTP: eras that are difficult to detect, responses that never come, sessions that are lost.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use genkit::Context;
use genkit::ErrorKind;
use genkit::mcp::host::{HttpTransport, McpClient, McpHost, ServerConfig, ServerState};
use genkit::message::ToolRequest;
use genkit::model::ModelResponse;
use genkit::testing::ScriptedModel;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::{says, within};

/// A request as it was received.
#[derive(Clone, Debug)]
pub(super) struct Request {
    verb: String,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Value,
}

/// The reply: a status, headers and a body; `None` means no response at all.
pub(super) type Reply = Option<(u16, String, String)>;

type Answer = Arc<dyn Fn(&Request) -> Reply + Send + Sync>;

/// A server of the older era whose responses a test may change.
pub(super) struct Server {
    url: String,
    seen: Arc<Mutex<Vec<Request>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Server {
    /// Starts a server. `change` may respond to a request; all other requests get a valid response.
    pub(super) async fn start(
        change: impl Fn(&Request) -> Option<Reply> + Send + Sync + 'static,
    ) -> Self {
        Self::at("127.0.0.1:0", change).await
    }

    async fn at(
        address: &str,
        change: impl Fn(&Request) -> Option<Reply> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let seen: Arc<Mutex<Vec<Request>>> = Arc::default();
        let heard = Arc::clone(&seen);
        let answer: Answer = Arc::new(move |request: &Request| {
            heard.lock().unwrap().push(request.clone());
            change(request).unwrap_or_else(|| good(request))
        });
        let task = tokio::spawn(async move {
            // The connections end with this task.
            let mut connections = tokio::task::JoinSet::new();
            loop {
                let Ok((stream, _)) = listener.accept().await else { return };
                connections.spawn(serve(stream, Arc::clone(&answer)));
            }
        });
        Self { url, seen, task }
    }

    fn methods(&self) -> Vec<String> {
        let seen = self.seen.lock().unwrap();
        seen.iter().map(|r| r.body["method"].as_str().unwrap_or(&r.verb).to_owned()).collect()
    }

    fn count(&self, method: &str) -> usize {
        self.methods().iter().filter(|seen| *seen == method).count()
    }

    pub(super) fn client(&self) -> HttpTransport {
        ServerConfig::http(&self.url).timeout(Duration::from_secs(5))
    }
}

async fn serve(stream: TcpStream, answer: Answer) {
    let mut stream = BufReader::new(stream);
    while let Some(request) = read(&mut stream).await {
        let Some((status, headers, body)) = answer(&request) else {
            std::future::pending::<()>().await;
            return;
        };
        let length = body.len();
        let head = format!("HTTP/1.1 {status} Said\r\ncontent-length: {length}\r\n{headers}\r\n");
        if stream.write_all(format!("{head}{body}").as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut line = String::new();
    stream.read_line(&mut line).await.ok()?;
    let verb = line.split(' ').next()?.to_owned();
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some(Request { verb, headers, body: serde_json::from_slice(&body).unwrap_or_default() })
}

pub(super) fn json_reply(request: &Request, result: Value) -> Reply {
    let body = json!({"jsonrpc": "2.0", "id": request.body["id"], "result": result});
    let headers = "content-type: application/json\r\nmcp-session-id: one\r\n".to_owned();
    Some((200, headers, body.to_string()))
}

fn plain(status: u16, text: &str) -> Option<Reply> {
    Some(Some((status, "content-type: text/plain\r\n".to_owned(), text.to_owned())))
}

fn good(request: &Request) -> Reply {
    let tool = json!({"name": "echo", "inputSchema": {"type": "object"}});
    match request.body["method"].as_str().unwrap_or(&request.verb) {
        "initialize" => json_reply(
            request,
            json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "http", "version": "1"},
            }),
        ),
        "tools/list" => json_reply(request, json!({"tools": [tool]})),
        "tools/call" => {
            let text = request.body["params"]["arguments"].to_string();
            json_reply(request, json!({"content": [{"type": "text", "text": text}]}))
        }
        "GET" => plain(405, "no stream").unwrap(),
        "DELETE" => plain(204, "").unwrap(),
        "server/discover" => plain(404, "no such page").unwrap(),
        _ => plain(202, "").unwrap(),
    }
}

pub(super) fn is(request: &Request, method: &str) -> bool {
    request.body["method"] == method
}

async fn connect(server: &Server) -> McpClient {
    within(McpClient::connect("s", server.client())).await.unwrap()
}

#[tokio::test]
async fn old_servers_are_detected_from_any_response_to_the_probe() {
    let unknown = json!({"code": -32601, "message": "what?"});
    let as_error = move |request: &Request| {
        let id = &request.body["id"];
        let body = json!({"jsonrpc": "2.0", "id": id, "error": unknown}).to_string();
        Some((200, "content-type: application/json\r\n".to_owned(), body))
    };
    let answers: Vec<(&str, Answer)> = vec![
        ("404", Arc::new(|_| plain(404, "no such page").unwrap())),
        ("400", Arc::new(|_| plain(400, "Bad Request: no session").unwrap())),
        ("405", Arc::new(|_| plain(405, "never").unwrap())),
        ("500", Arc::new(|_| plain(500, "Error: undefined").unwrap())),
        ("an error", Arc::new(as_error)),
        ("{}", Arc::new(|request| json_reply(request, json!({})))),
        ("202", Arc::new(|_| plain(202, "").unwrap())),
    ];
    for (what, answer) in answers {
        let server =
            Server::start(move |request| is(request, "server/discover").then(|| answer(request)))
                .await;
        let host = McpHost::builder()
            .server("s", server.client())
            .probe_timeout(Duration::from_millis(500))
            .build()
            .unwrap();
        let client = host.client("s").unwrap();
        within(client.ready()).await.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(client.status().protocol_version.as_deref(), Some("2025-11-25"), "{what}");
        let echo = within(client.call_tool("echo", json!({"a": 1}))).await.unwrap();
        assert_eq!(echo, json!({"a": 1}), "{what}");
        within(host.close()).await;
    }
}

#[tokio::test]
async fn answer_that_never_comes_is_not_waited_for_for_ever() {
    for accepted in [true, false] {
        let server = Server::start(move |request| {
            is(request, "tools/call").then(|| accepted.then(|| plain(202, "").unwrap()).flatten())
        })
        .await;
        let config = server.client().timeout(Duration::from_millis(500));
        let client = within(McpClient::connect("s", config)).await.unwrap();
        let error = within(client.call_tool("echo", json!({}))).await.unwrap_err();
        says(&error, &["did not respond to `echo` within 500ms"]);
        assert_eq!(error.kind(), ErrorKind::DeadlineExceeded);
        assert_eq!(within(client.tools()).await.unwrap().len(), 1);
        within(client.close()).await;
    }
}

#[tokio::test]
async fn lost_session_is_opened_again_and_the_call_made_once() {
    for status in [404, 400] {
        let lost = Arc::new(Mutex::new(false));
        let losing = Arc::clone(&lost);
        let server = Server::start(move |request| {
            let mut lost = losing.lock().unwrap();
            if is(request, "initialize") {
                *lost = false;
            }
            let lost = *lost && is(request, "tools/call");
            lost.then(|| plain(status, "Session not found").unwrap())
        })
        .await;
        let client = connect(&server).await;
        within(client.call_tool("echo", json!({}))).await.unwrap();
        *lost.lock().unwrap() = true;
        let echo = within(client.call_tool("echo", json!({"after": true}))).await.unwrap();
        assert_eq!(echo, json!({"after": true}), "{status}");
        assert_eq!(server.count("initialize"), 2, "{status}");
        // One request that was refused, and one that was not.
        assert_eq!(server.count("tools/call"), 3, "{status}");
        assert_eq!(client.status().state, ServerState::Connected);
        within(client.close()).await;
    }
}

#[tokio::test]
async fn server_that_loses_every_session_is_not_asked_for_ever() {
    let server =
        Server::start(|request| is(request, "tools/call").then(|| plain(404, "gone").unwrap()))
            .await;
    let client = connect(&server).await;
    let error = within(client.call_tool("echo", json!({}))).await.unwrap_err();
    assert_eq!(server.count("tools/call"), 2, "{error}");
    within(client.close()).await;
}

#[tokio::test]
async fn server_that_comes_back_at_its_place_is_found_there() {
    let first = Server::start(|_| None).await;
    let client = connect(&first).await;
    within(client.call_tool("echo", json!({}))).await.unwrap();
    let address = first.url.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap();
    first.task.abort();
    let _ = first.task.await;
    let error = within(client.call_tool("echo", json!({}))).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    // A pooled connection may be reset before a new one is refused.
    let text = error.chain().to_string();
    assert!(text.contains("was refused") || text.contains("broke: "), "{text}");
    let second = Server::at(address, |_| None).await;
    let echo = within(client.call_tool("echo", json!({"back": 1}))).await.unwrap();
    assert_eq!(echo, json!({"back": 1}));
    assert_eq!(within(client.tools()).await.unwrap().len(), 1);
    assert_eq!(second.count("initialize"), 1);
    within(client.close()).await;
}

#[tokio::test]
async fn non_mcp_response_is_reported() {
    let page = "content-type: text/html\r\n".to_owned();
    let server =
        Server::start(move |_| Some(Some((200, page.clone(), "<h1>Hello</h1>".to_owned())))).await;
    let error = within(McpClient::connect("s", server.client())).await.unwrap_err();
    says(&error, &["text/html"]);
    let error = error.chain();
    assert!(!error.contains("rmcp") && !error.contains("::"), "{error}");
}

#[tokio::test]
async fn headers_are_made_from_the_context_of_each_call() {
    struct User(&'static str);
    let server = Server::start(|_| None).await;
    let config = server.client().header("x-always", "yes").bearer_token("token").headers_from(
        |ctx: &Context| {
            ctx.extension::<User>().map(|user| ("x-user".to_owned(), user.0.to_owned()))
        },
    );
    let host = McpHost::builder().server("s", config).build().unwrap();
    for user in ["ada", "eve"] {
        let model = ScriptedModel::new([
            ModelResponse::from_tool_requests([ToolRequest::new("s/echo", json!({}))]),
            ModelResponse::from_text("Done."),
        ]);
        let asked = genkit::generate("Go.").model(model).tools(host.tools()).extension(User(user));
        within(asked.into_future()).await.unwrap();
    }
    let seen = server.seen.lock().unwrap().clone();
    assert!(seen.iter().all(|r| r.headers["x-always"] == "yes"));
    assert!(seen.iter().all(|r| r.headers["authorization"] == "Bearer token"));
    let users: Vec<_> = seen.iter().filter_map(|r| r.headers.get("x-user")).collect();
    assert_eq!(users, ["ada", "eve"]);
}
