//! What the transport promises, piece by piece and as a whole.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

mod handshake;
mod lines;
mod pressure;
mod serving;

use std::{borrow::Cow, time::Duration};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ServerCapabilities,
        ServerConfig,
    },
    service::RequestContext,
};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf, duplex, split,
};

use super::{StdioLimits, StdioTransport};

/// Longer than anything here takes, shorter than a tester's patience.
const PATIENCE: Duration = Duration::from_secs(20);

/// A transport over memory.
type Piped = StdioTransport<ReadHalf<DuplexStream>, WriteHalf<DuplexStream>>;

/// The other end of a transport.
struct Client {
    input: WriteHalf<DuplexStream>,
    output: BufReader<ReadHalf<DuplexStream>>,
}

/// A transport and its client, with so many bytes of pipe between them.
fn connect(pipe_bytes: usize, limits: StdioLimits) -> (Piped, Client) {
    let (near, far) = duplex(pipe_bytes);
    let (reader, writer) = split(near);
    let (output, input) = split(far);
    (StdioTransport::new(reader, writer, limits), Client { input, output: BufReader::new(output) })
}

impl Client {
    async fn send(&mut self, text: impl AsRef<[u8]>) {
        self.input.write_all(text.as_ref()).await.unwrap();
    }

    async fn line(&mut self, text: impl AsRef<[u8]>) {
        self.send(text).await;
        self.send("\n").await;
    }

    /// The next message, or `None` at the end of output.
    async fn receive(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = self.output.read_line(&mut line);
        let count = tokio::time::timeout(PATIENCE, read).await.expect("an answer in time").unwrap();
        (count > 0).then(|| serde_json::from_str(&line).expect("only protocol bytes"))
    }

    /// Opens a session by handshake.
    async fn initialize(&mut self) {
        self.line(initialize()).await;
        let answer = self.receive().await.unwrap();
        assert_eq!(answer["result"]["serverInfo"]["name"], "adder", "{answer}");
        self.line(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string())
            .await;
    }

    /// Sees that the session still serves.
    async fn check(&mut self, id: &str) {
        self.line(add(json!(id), 40, 2)).await;
        let answer = self.receive().await.unwrap();
        assert_eq!((&answer["id"], sum(&answer)), (&json!(id), "42"));
    }
}

fn initialize() -> String {
    let client = json!({"name": "test", "version": "0"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    json!({"jsonrpc": "2.0", "id": "init", "method": "initialize", "params": params}).to_string()
}

fn add(id: Value, a: i64, b: i64) -> String {
    let params = json!({"name": "add", "arguments": {"a": a, "b": b}});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
}

fn sum(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

/// One tool: `add`.
struct Adder;

impl ServerHandler for Adder {
    fn get_info(&self) -> ServerConfig {
        let mut config = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        config.server_info.name = "adder".to_owned();
        config
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = params.arguments.unwrap_or_default();
        let number = |name: &str| arguments.get(name).and_then(Value::as_i64);
        let (Some(a), Some(b)) = (number("a"), number("b")) else {
            return Err(ErrorData::invalid_params(Cow::Borrowed("two numbers, please"), None));
        };
        tokio::task::yield_now().await;
        Ok(CallToolResult::success(vec![ContentBlock::text((a + b).to_string())]).into())
    }
}
