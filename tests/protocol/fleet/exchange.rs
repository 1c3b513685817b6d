//! One request on a new connection, read until the connection ends in any way.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};

/// The time limit of one exchange: longer than the lease of a stream.
const PATIENCE: Duration = Duration::from_secs(30);

/// A response.
#[derive(Debug)]
pub(super) struct Exchange {
    /// 0 if there was no response.
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: String,
    /// If true, the response is complete.
    pub(super) is_whole: bool,
}

impl Exchange {
    fn of(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            let (head, body) = (String::new(), String::new());
            return Self { status: 0, head, body, is_whole: false };
        };
        let head = head.to_ascii_lowercase();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let (body, is_whole) = match length {
            Some(length) => (body.to_owned(), length.trim().parse() == Ok(body.len())),
            None if head.contains("transfer-encoding: chunked") => joined(body),
            None => (body.to_owned(), true),
        };
        Self { status, head, body, is_whole }
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.head
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
            .map(str::trim)
    }

    /// Returns the messages in it.
    pub(super) fn messages(&self) -> Vec<Value> {
        let read = |text: &str| serde_json::from_str(text).ok();
        if self.header("content-type") == Some("text/event-stream") {
            return self
                .body
                .lines()
                .filter_map(|line| read(line.strip_prefix("data: ")?))
                .collect();
        }
        read(&self.body).into_iter().collect()
    }

    /// Returns the response to a request, if it arrived.
    pub(super) fn answer(&self) -> Option<Value> {
        let is_answer = |it: &Value| it.get("result").is_some() || it.get("error").is_some();
        self.messages().into_iter().rfind(|it| it["id"] == 1 && is_answer(it))
    }

    /// Returns the id of the last event.
    pub(super) fn last_event(&self) -> Option<String> {
        let mut ids = self.body.lines().filter_map(|line| line.strip_prefix("id: "));
        ids.next_back().map(str::to_owned)
    }
}

/// Joins chunks, and returns whether the last one arrived.
fn joined(mut chunks: &str) -> (String, bool) {
    let mut body = String::new();
    while let Some((size, rest)) = chunks.split_once("\r\n") {
        let Ok(size) = usize::from_str_radix(size, 16) else { break };
        if size == 0 {
            return (body, true);
        }
        body += rest.get(..size).unwrap_or(rest);
        chunks = rest.get(size + 2..).unwrap_or_default();
    }
    (body, false)
}

/// Sends a request, and reads until the server closes the connection.
pub(super) fn exchange(
    to: SocketAddr,
    method: &str,
    headers: &[(&str, &str)],
    body: Option<&Value>,
) -> Exchange {
    exchange_heard(to, method, headers, body, |_| {})
}

/// Like `exchange`, and calls back with everything read so far whenever there is more.
pub(super) fn exchange_heard(
    to: SocketAddr,
    method: &str,
    headers: &[(&str, &str)],
    body: Option<&Value>,
    mut hears: impl FnMut(&[u8]),
) -> Exchange {
    let mut run = || -> std::io::Result<Vec<u8>> {
        let mut stream = TcpStream::connect(to)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let body = body.map(Value::to_string).unwrap_or_default();
        let accepts = if method == "GET" {
            "text/event-stream"
        } else {
            "application/json, text/event-stream"
        };
        let mut request = format!(
            "{method} /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             accept: {accepts}\r\ncontent-length: {}\r\nconnection: close\r\n",
            body.len()
        );
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        stream.write_all(format!("{request}\r\n{body}").as_bytes())?;
        let (mut read, mut piece) = (Vec::new(), [0; 8192]);
        loop {
            match stream.read(&mut piece) {
                Ok(0) => return Ok(read),
                Ok(count) => {
                    read.extend_from_slice(&piece[..count]);
                    hears(&read);
                }
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    panic!("no instance sends anything: {}", String::from_utf8_lossy(&read))
                }
                // The client has read what arrived before the connection broke.
                Err(_) => return Ok(read),
            }
        }
    };
    Exchange::of(&run().unwrap_or_default())
}

/// Sends an independent request of 2026-07-28, from a client that supports questions.
pub(super) fn alone(to: SocketAddr, tool: &str, mut params: Value) -> Exchange {
    const VERSION: &str = "2026-07-28";
    params["name"] = tool.into();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} },
    });
    let headers =
        [("mcp-protocol-version", VERSION), ("mcp-method", "tools/call"), ("mcp-name", tool)];
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    exchange(to, "POST", &headers, Some(&request))
}
