//! Servers that send modified responses to a host: event streams, and the documents that OAuth reads.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use genkit::mcp::host::{McpClient, OAuth, ServerConfig};
use genkit_tests::fuzz::fuzz;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::{mutate, runtime};
use crate::raw::within;

/// Seeds that found errors.
const SEEDS: &[u64] = &[];

/// A request as it was received.
struct Request {
    path: String,
    has_token: bool,
    body: Value,
}

/// A status, a type and a body.
type Reply = (u16, &'static str, Vec<u8>);

type Answering = dyn FnMut(&Request, &str) -> Option<Reply> + Send;

/// A server with valid responses, except for those that a test modifies.
#[derive(Clone)]
struct Server {
    origin: String,
    /// Tried first; `None` means the valid response.
    change: Arc<Mutex<Box<Answering>>>,
}

impl Server {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let origin = format!("http://{}", listener.local_addr().expect("an address"));
        let change: Box<Answering> = Box::new(|_, _| None);
        let server = Self { origin, change: Arc::new(Mutex::new(change)) };
        let serving = server.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serving.clone().serve(BufReader::new(stream)));
            }
        });
        server
    }

    fn change(&self, change: impl FnMut(&Request, &str) -> Option<Reply> + Send + 'static) {
        *self.change.lock().expect("no panic") = Box::new(change);
    }

    async fn serve(self, mut stream: BufReader<TcpStream>) {
        while let Some(request) = read(&mut stream).await {
            let changed = (self.change.lock().expect("no panic"))(&request, &self.origin);
            let (status, kind, body) = changed.unwrap_or_else(|| good(&request));
            let challenge = format!(
                "www-authenticate: Bearer resource_metadata=\"{}/.well-known/\
                 oauth-protected-resource/mcp\"\r\n",
                self.origin
            );
            let more = if status == 401 { challenge } else { String::new() };
            let length = body.len();
            let head = format!(
                "HTTP/1.1 {status} Said\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\
                 mcp-session-id: one\r\n{more}\r\n"
            );
            if stream.write_all(&[head.as_bytes(), &body].concat()).await.is_err() {
                return;
            }
        }
    }
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut line = String::new();
    stream.read_line(&mut line).await.ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let (mut length, mut has_token) = (0, false);
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.ok()?;
        let Some((name, value)) = line.split_once(':') else { break };
        match &*name.to_ascii_lowercase() {
            "content-length" => length = value.trim().parse().ok()?,
            "authorization" => has_token = value.contains("Bearer"),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some(Request { path, has_token, body: serde_json::from_slice(&body).unwrap_or_default() })
}

fn answer(request: &Request, result: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": request.body["id"], "result": result }).to_string()
}

fn good(request: &Request) -> Reply {
    let result = match request.body["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": "2025-11-25", "capabilities": { "tools": {} },
            "serverInfo": { "name": "changed", "version": "1" },
        }),
        "tools/list" => {
            json!({ "tools": [{ "name": "echo", "inputSchema": { "type": "object" } }] })
        }
        "tools/call" => echo(request),
        "notifications/initialized" => return (202, "text/plain", Vec::new()),
        _ => return (404, "text/plain", Vec::new()),
    };
    (200, "application/json", answer(request, &result).into_bytes())
}

fn echo(request: &Request) -> Value {
    let text = request.body["params"]["arguments"]["mark"].as_str().unwrap_or_default();
    json!({ "content": [{ "type": "text", "text": text }] })
}

#[test]
fn stream_of_events_that_was_changed_ends_and_the_next_is_read() {
    let runtime = runtime();
    let server = runtime.block_on(Server::start());
    let config = || {
        let config = ServerConfig::http(format!("{}/mcp", server.origin));
        config.timeout(Duration::from_millis(700))
    };
    let connect = || McpClient::connect("s", config());
    let mut count = 0;
    fuzz("streams of events", SEEDS, |rng| {
        count += 1;
        let mut own = rng.clone();
        let _ = rng.next_u64();
        server.change(move |request, _| {
            (request.body["method"] == "tools/call").then(|| {
                let progress = json!({
                    "jsonrpc": "2.0", "method": "notifications/progress",
                    "params": { "progressToken": 1, "progress": 1 }
                });
                let last = answer(request, &echo(request));
                let mut stream = format!(
                    ": hello\nid: 1\nretry: 10\ndata:\n\nevent: message\ndata: {progress}\n\n\
                     id: 2\ndata: {last}\n\n"
                );
                if own.chance(30) {
                    stream = stream.replace('\n', own.pick::<&str>(&["\r\n", "\r", "\n\n"]));
                }
                let mut bytes = stream.into_bytes();
                mutate::bytes(&mut own, &mut bytes);
                (200, "text/event-stream", bytes)
            })
        });
        runtime.block_on(async {
            let client = within("a connection", connect()).await.unwrap();
            let arguments = json!({ "mark": format!("changed-{count}") });
            // Any outcome is fine, as long as there is one.
            let _ = within("a changed answer", client.call_tool("echo", arguments)).await;
            server.change(|_, _| None);
            let mark = format!("mark-{count}");
            let call = client.call_tool("echo", json!({ "mark": mark }));
            assert_eq!(within("an answer", call).await.unwrap(), json!(mark));
            within("the end", client.close()).await;
        });
    });
}

/// Returns the documents of an authorization server, with their paths.
fn documents(origin: &str) -> [(&'static str, Value); 3] {
    [
        (
            "/.well-known/oauth-protected-resource/mcp",
            json!({ "resource": format!("{origin}/mcp"), "authorization_servers": [origin] }),
        ),
        (
            "/.well-known/oauth-authorization-server",
            json!({
                "issuer": origin,
                "authorization_endpoint": format!("{origin}/authorize"),
                "token_endpoint": format!("{origin}/token"),
                "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"],
                "grant_types_supported": ["client_credentials"],
                "token_endpoint_auth_methods_supported": ["client_secret_post"],
            }),
        ),
        ("/token", json!({ "access_token": "t", "token_type": "Bearer", "expires_in": 60 })),
    ]
}

#[test]
fn oauth_parsers_accept_arbitrary_input() {
    let runtime = runtime();
    let server = runtime.block_on(Server::start());
    let mut opened = 0;
    fuzz("OAuth metadata", SEEDS, |rng| {
        let mut own = rng.clone();
        let is_changed = rng.chance(90);
        let which = own.below(3);
        server.change(move |request, origin| {
            if request.path == "/mcp" {
                return (!request.has_token).then(|| (401, "text/plain", Vec::new()));
            }
            let mut documents = documents(origin).into_iter().enumerate();
            let (at, (_, mut document)) = documents.find(|(_, it)| it.0 == request.path)?;
            let mut bytes = document.to_string().into_bytes();
            if is_changed && at == which {
                if own.chance(70) {
                    mutate::value(&mut own, &mut document, &[]);
                    bytes = mutate::spelled(&mut own, &document).into_bytes();
                } else {
                    mutate::bytes(&mut own, &mut bytes);
                }
            }
            Some((200, "application/json", bytes))
        });
        runtime.block_on(async {
            let oauth = OAuth::client_credentials("me", "s3cret-of-the-program");
            let config = ServerConfig::http(format!("{}/mcp", server.origin)).oauth(oauth);
            let config = config.timeout(Duration::from_secs(2));
            match within("a connection", McpClient::connect("s", config)).await {
                Ok(client) => {
                    opened += 1;
                    within("the end", client.close()).await;
                }
                Err(error) => {
                    let said = error.chain();
                    assert!(!said.contains("s3cret"), "{said}");
                    assert!(is_changed, "{said}");
                }
            }
        });
    });
    assert!(opened > 0, "no change was harmless");
}
