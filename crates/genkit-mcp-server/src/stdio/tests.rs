//! Tests of the connection over an in-memory pipe.

#![allow(clippy::unwrap_used, reason = "a failed test reports the location")]

mod ending;
mod pressure;
mod serving;

use std::io;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf, duplex, split,
};
use tokio::task::JoinHandle;

use super::{StdioConnection, StdioLimits};
use crate::McpServer;
use crate::instance::ServedInstance;
use genkit_core::{Context, Prompt, Registry, Resource, Tool};

/// A timeout well above the duration of any test.
const PATIENCE: Duration = Duration::from_secs(20);

/// The client side of a connection.
struct Client {
    input: WriteHalf<DuplexStream>,
    output: BufReader<ReadHalf<DuplexStream>>,
}

/// Returns a builder of a tool that accepts any arguments.
fn tool(name: &'static str) -> genkit_core::ToolBuilder {
    Tool::builder(name, "A tool.").input_schema(json!({"type": "object"}))
}

fn genkit() -> ServedInstance {
    let form = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let tools = [
        tool("add").handler(|_: Context, sum: Value| async move {
            let (Some(a), Some(b)) = (sum["a"].as_i64(), sum["b"].as_i64()) else {
                return Err(genkit_core::Error::new(
                    genkit_core::ErrorKind::InvalidArgument,
                    "two numbers",
                ))?;
            };
            Ok((a + b).to_string())
        }),
        tool("later").handler(|_: Context, sum: Value| async move {
            tokio::task::yield_now().await;
            Ok((sum["a"].as_i64().unwrap_or(0) + sum["b"].as_i64().unwrap_or(0)).to_string())
        }),
        tool("ask").handler(move |context: Context, _: Value| {
            let form = form.clone();
            async move { Ok(format!("{:?}", context.elicit_form("Who?", form).await?)) }
        }),
        tool("wait").handler(|_: Context, _: Value| async move {
            std::future::pending::<()>().await;
            Ok(String::new())
        }),
        tool("report").handler(|context: Context, _: Value| async move {
            loop {
                context.progress(1.0).await;
            }
            #[allow(unreachable_code, reason = "needed for the return type")]
            Ok(String::new())
        }),
        tool("fail").handler(|_: Context, _: Value| async move {
            Err::<String, _>(genkit_core::Error::new(
                genkit_core::ErrorKind::Unknown,
                "it failed",
            ))?;
            Ok(String::new())
        }),
    ];
    let greet = Prompt::builder("greet", "Greets.")
        .handler(|_: Context, _: Value| async move { Ok("Hello!".to_owned()) });
    let note = Resource::builder("note://{id}", "note", "A note.")
        .handler(|_: Context, _: Value| async move { Ok("text".to_owned()) });
    let registry = Registry::new().add(tools).add([greet]).add([note]);
    ServedInstance::with_registry(registry)
}

/// Serves a connection over a pipe with this capacity, and returns its client.
fn serve(pipe_bytes: usize, limits: StdioLimits) -> (JoinHandle<io::Result<()>>, Client) {
    let (near, far) = duplex(pipe_bytes);
    let (reader, writer) = split(near);
    let (output, input) = split(far);
    let shared = McpServer::new(genkit()).check(true).unwrap();
    let connection = StdioConnection::new(reader, writer, &shared, limits, None);
    (tokio::spawn(connection.serve_messages()), Client { input, output: BufReader::new(output) })
}

/// Opens a session and completes the handshake of a client that supports elicitation.
async fn open(limits: StdioLimits) -> (JoinHandle<io::Result<()>>, Client) {
    let (serving, mut client) = serve(1 << 16, limits);
    client.line(initialize()).await;
    assert!(client.receive().await.unwrap()["result"].is_object());
    (serving, client)
}

async fn ended(serving: JoinHandle<io::Result<()>>) -> io::Result<()> {
    tokio::time::timeout(PATIENCE, serving).await.expect("an end").unwrap()
}

impl Client {
    async fn send(&mut self, text: impl AsRef<[u8]>) {
        self.input.write_all(text.as_ref()).await.unwrap();
    }

    async fn line(&mut self, text: impl AsRef<[u8]>) {
        self.send([text.as_ref(), b"\n"].concat()).await;
    }

    /// Returns the next message, or `None` at the end of output.
    async fn receive(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = self.output.read_line(&mut line);
        let count = tokio::time::timeout(PATIENCE, read).await.expect("an answer in time").unwrap();
        (count > 0).then(|| serde_json::from_str(&line).expect("only protocol bytes"))
    }

    /// Returns all messages up to the end of output.
    async fn rest(&mut self) -> Vec<Value> {
        let mut rest = Vec::new();
        while let Some(message) = self.receive().await {
            rest.push(message);
        }
        rest
    }

    /// Checks that the session still works.
    async fn check(&mut self, id: &str) {
        self.line(call(json!(id), "add", 40, 2)).await;
        let answer = self.receive().await.unwrap();
        assert_eq!((&answer["id"], sum(&answer)), (&json!(id), "42"));
    }
}

fn initialize() -> String {
    let client = json!({"name": "test", "version": "0"});
    let can = json!({ "elicitation": {} });
    let params =
        json!({"protocolVersion": "2025-11-25", "capabilities": can, "clientInfo": client});
    json!({"jsonrpc": "2.0", "id": "init", "method": "initialize", "params": params}).to_string()
}

fn call(id: Value, tool: &str, a: i64, b: i64) -> String {
    let params = json!({"name": tool, "arguments": {"a": a, "b": b}});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
}

fn sum(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}
