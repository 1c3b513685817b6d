//! A fake server that handles one request per connection and records it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// The path, including the query.
    pub(crate) path: String,
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns a parameter of the query, or of a form.
    pub(crate) fn param(&self, name: &str) -> Option<String> {
        let query = self.path.split_once('?').map_or(self.body.as_str(), |(_, query)| query);
        let url = reqwest::Url::parse(&format!("http://x/?{query}")).unwrap();
        url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }

    pub(crate) fn is(&self, method: &str) -> bool {
        self.json()["method"] == method
    }
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: Vec<(&'static str, String)>,
    body: String,
    after: Duration,
}

impl Answer {
    pub(crate) fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: String::new(), after: Duration::ZERO }
    }

    /// Delays the response; the request is recorded when it is answered.
    pub(crate) fn after(mut self, after: Duration) -> Self {
        self.after = after;
        self
    }

    pub(crate) fn json(value: &Value) -> Self {
        Self::status(200).header("Content-Type", "application/json").body(value.to_string())
    }

    /// Returns the body of a response that was created from a value.
    pub(crate) fn value(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub(crate) fn body(mut self, body: impl Into<String>) -> Self {
        self.body = body.into();
        self
    }
}

pub(crate) struct Fake {
    pub(crate) origin: String,
    seen: Arc<Mutex<Vec<Request>>>,
}

impl Fake {
    pub(crate) async fn start(answer: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Self {
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", socket.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (log, answer) = (Arc::clone(&seen), Arc::new(answer));
        tokio::spawn(async move {
            while let Ok((stream, _)) = socket.accept().await {
                let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
                tokio::spawn(async move { serve(stream, &log, &*answer).await });
            }
        });
        Self { origin, seen }
    }

    pub(crate) fn url(&self) -> String {
        format!("{}/mcp", self.origin)
    }

    pub(crate) fn seen(&self, wanted: impl Fn(&Request) -> bool) -> Vec<Request> {
        self.seen.lock().unwrap().iter().filter(|request| wanted(request)).cloned().collect()
    }
}

async fn serve(
    mut stream: TcpStream,
    seen: &Mutex<Vec<Request>>,
    answer: &(impl Fn(&Request) -> Answer + Sync),
) -> Option<()> {
    let mut text = Vec::new();
    let end = loop {
        if let Some(at) = text.windows(4).position(|end| end == b"\r\n\r\n") {
            break at;
        }
        stream.read_buf(&mut text).await.ok().filter(|count| *count > 0)?;
    };
    let head = String::from_utf8(text[..end].to_vec()).ok()?;
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ');
    let headers: Vec<_> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length.map_or(0, |(_, length)| length.parse().unwrap());
    while text.len() < end + 4 + length {
        stream.read_buf(&mut text).await.ok().filter(|count| *count > 0)?;
    }
    let request = Request {
        method: first.next()?.to_owned(),
        path: first.next()?.to_owned(),
        headers,
        body: String::from_utf8(text[end + 4..].to_vec()).ok()?,
    };
    let Answer { status, headers, body, after } = answer(&request);
    tokio::time::sleep(after).await;
    seen.lock().unwrap().push(request);
    let mut head = format!("HTTP/1.1 {status} x\r\nContent-Length: {}\r\n", body.len());
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("Connection: close\r\n\r\n");
    stream.write_all((head + &body).as_bytes()).await.ok()
}

/// Responds like an MCP server with a session and no tools.
pub(crate) fn mcp(request: &Request) -> Answer {
    let asked = request.json();
    let result = match (request.method.as_str(), asked["method"].as_str()) {
        ("GET", _) => return Answer::status(405),
        ("DELETE", _) => return Answer::status(200),
        (_, Some("initialize")) => json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "fake", "version": "1" },
        }),
        (_, Some("tools/list")) => json!({ "tools": [] }),
        _ => return Answer::status(202),
    };
    let answer = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result });
    Answer::json(&answer).header("Mcp-Session-Id", "s1")
}
