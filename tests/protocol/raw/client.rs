//! An MCP client over such connections, in either era.

use std::fmt::Write as _;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use serde_json::{Value, json};

use super::connection::{Answer, Connection};

/// The protocol version of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// 2025-11-25, in a session.
    Sessions,
    /// 2026-07-28: each request is independent.
    Modern,
}

impl Era {
    pub(crate) const BOTH: [Self; 2] = [Self::Sessions, Self::Modern];
}

/// A client.
pub(crate) struct Client {
    pub(crate) to: SocketAddr,
    pub(crate) from: Ipv4Addr,
    pub(crate) era: Era,
    pub(crate) session: Option<String>,
    /// Additional headers of each request.
    pub(crate) headers: Vec<(String, String)>,
    capabilities: Value,
    connection: Option<Connection>,
    next_id: u64,
}

/// Returns the metadata of each request in the newer era.
pub(crate) fn meta(capabilities: &Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
}

/// Returns the parameters of a call.
pub(crate) fn call_params(name: &str, arguments: &Value) -> Value {
    json!({ "name": name, "arguments": arguments })
}

impl Client {
    /// Creates a client that has sent nothing yet.
    pub(crate) fn new(to: SocketAddr, from: Ipv4Addr, era: Era) -> Self {
        let capabilities = json!({ "elicitation": {}, "sampling": {}, "roots": {} });
        let (session, headers) = (None, Vec::new());
        Self { to, from, era, session, headers, capabilities, connection: None, next_id: 1 }
    }

    pub(crate) fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Creates a client that has completed the handshake.
    pub(crate) async fn open(to: SocketAddr, from: Ipv4Addr, era: Era) -> Self {
        let opened = super::within("opening", Self::new(to, from, era).opened()).await;
        opened.unwrap_or_else(|error| panic!("no session: {error}"))
    }

    /// Performs the handshake, if there is one.
    pub(crate) async fn opened(mut self) -> Result<Self, String> {
        if self.era == Era::Modern {
            return Ok(self);
        }
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": self.capabilities,
            "clientInfo": { "name": "raw", "version": "1" },
        });
        let request = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        let answer = self.post(&request).await.map_err(|error| error.to_string())?;
        let session = answer.header("mcp-session-id").map(str::to_owned);
        self.session = Some(session.ok_or_else(|| format!("{answer:?}"))?);
        let answer = self.tell("notifications/initialized", json!({})).await;
        match answer.map_err(|error| error.to_string())? {
            answer if answer.status == 202 => Ok(self),
            answer => Err(format!("{answer:?}")),
        }
    }

    /// Opens a new connection from the address of this client.
    pub(crate) async fn connect(&self) -> io::Result<Connection> {
        Connection::open(self.to, self.from).await
    }

    /// Returns the bytes of a POST with this message.
    pub(crate) fn bytes(&self, message: &Value) -> Vec<u8> {
        let mut head = self.head("POST");
        if self.era == Era::Modern {
            let params = &message["params"];
            let _ = write!(head, "mcp-method: {}\r\n", message["method"].as_str().unwrap_or(""));
            if let Some(name) = ["name", "uri"].iter().find_map(|key| params[key].as_str()) {
                let _ = write!(head, "mcp-name: {name}\r\n");
            }
        }
        let body = message.to_string();
        let _ =
            write!(head, "content-type: application/json\r\ncontent-length: {}\r\n", body.len());
        (head + "\r\n" + &body).into_bytes()
    }

    /// Returns a head without its end.
    pub(crate) fn head(&self, method: &str) -> String {
        let mut head = format!(
            "{method} /mcp HTTP/1.1\r\nhost: {}\r\naccept: application/json, text/event-stream\r\n",
            self.to
        );
        match (self.era, &self.session) {
            (Era::Modern, _) => head += "mcp-protocol-version: 2026-07-28\r\n",
            (Era::Sessions, Some(id)) => {
                head += "mcp-protocol-version: 2025-11-25\r\n";
                let _ = write!(head, "mcp-session-id: {id}\r\n");
            }
            (Era::Sessions, None) => {}
        }
        for (name, value) in &self.headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        head
    }

    /// Returns a request with an id that this client has not used yet.
    pub(crate) fn request(&mut self, method: &str, mut params: Value) -> (u64, Value) {
        if self.era == Era::Modern {
            let mut merged = meta(&self.capabilities);
            if let Some(more) = params["_meta"].as_object() {
                merged.as_object_mut().expect("an object").extend(more.clone());
            }
            params["_meta"] = merged;
        }
        let id = self.next_id;
        self.next_id += 1;
        (id, json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
    }

    /// Posts a message on the kept connection, or on a new one if it was closed.
    pub(crate) async fn post(&mut self, message: &Value) -> io::Result<Answer> {
        let bytes = self.bytes(message);
        let kept = self.connection.is_some();
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.connect().await?,
        };
        let answer = match connection.send(&bytes).await {
            Ok(()) => connection.answer().await,
            Err(error) => Err(error),
        };
        let answer = match answer {
            // An idle connection may have been closed, so a message that was not received is sent again.
            Err(_) if kept => {
                connection = self.connect().await?;
                connection.send(&bytes).await?;
                connection.answer().await?
            }
            other => other?,
        };
        if answer.header("connection") != Some("close") {
            self.connection = Some(connection);
        }
        Ok(answer)
    }

    /// Posts a notification.
    pub(crate) async fn tell(&mut self, method: &str, params: Value) -> io::Result<Answer> {
        let mut message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        if self.era == Era::Modern {
            message["params"]["_meta"] = meta(&self.capabilities);
        }
        self.post(&message).await
    }

    /// Returns the response to a request, which must be its own.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Result<Value, String> {
        let (id, message) = self.request(method, params);
        let answer = self.post(&message).await.map_err(|error| error.to_string())?;
        let messages = answer.messages();
        let mut own = messages.iter().filter(|message| message.get("method").is_none());
        match (own.next(), own.next()) {
            (Some(only), None) if only["id"] == id => Ok(only.clone()),
            _ => Err(format!("not the answer to {id}: {answer:?}")),
        }
    }

    /// Makes a call, and returns its result.
    pub(crate) async fn call(&mut self, name: &str, arguments: Value) -> Result<Value, String> {
        let answer = self.ask("tools/call", call_params(name, &arguments)).await?;
        let result = answer["result"].clone();
        if result.is_object() { Ok(result) } else { Err(answer.to_string()) }
    }

    /// Sends a request on a new connection, which is returned unread.
    pub(crate) async fn begin(
        &mut self,
        method: &str,
        params: Value,
    ) -> io::Result<(u64, Connection)> {
        let (id, message) = self.request(method, params);
        let mut connection = self.connect().await?;
        connection.send(&self.bytes(&message)).await?;
        Ok((id, connection))
    }

    /// Opens a stream of changes on a new connection, and waits for its head.
    pub(crate) async fn listen(&mut self, notifications: Value) -> io::Result<Connection> {
        let mut connection = self.connect().await?;
        let listening = self.listen_over(&mut connection, notifications);
        super::within("a stream", listening).await?;
        Ok(connection)
    }

    /// Opens a stream on this connection; in the newer era up to the acknowledgement.
    pub(crate) async fn listen_over(
        &mut self,
        connection: &mut Connection,
        notifications: Value,
    ) -> io::Result<()> {
        if self.era == Era::Sessions {
            connection.send((self.head("GET") + "\r\n").as_bytes()).await?;
            let head = connection.head().await?;
            assert_eq!(head.status, 200, "{head:?}");
            return Ok(());
        }
        let params = json!({ "notifications": notifications });
        let (_, message) = self.request("subscriptions/listen", params);
        connection.send(&self.bytes(&message)).await?;
        let head = connection.head().await?;
        assert_eq!(head.status, 200, "{head:?}");
        let first = connection.event().await?;
        let is_acknowledged = first
            .as_ref()
            .and_then(|event| event["method"].as_str())
            .is_some_and(|method| method.starts_with("notifications/subscriptions"));
        assert!(is_acknowledged, "{first:?}");
        Ok(())
    }
}
