//! Tests of the client's end of a pipe.

#![allow(clippy::unwrap_used, reason = "a panic shows where a test failed")]

mod lines;
mod session;

use std::time::Duration;

use rmcp::model::{ClientRequest, JsonRpcMessage, RequestId};
use rmcp::transport::Transport as _;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf, duplex, split,
};

use super::PipeTransport;

/// A timeout well above the duration of any step.
const PATIENCE: Duration = Duration::from_secs(20);

type Piped = PipeTransport<ReadHalf<DuplexStream>, WriteHalf<DuplexStream>>;

/// The other end of a transport.
struct Server {
    output: WriteHalf<DuplexStream>,
    input: BufReader<ReadHalf<DuplexStream>>,
}

fn connect(pipe_bytes: usize, max_line: usize) -> (Piped, Server) {
    let (near, far) = duplex(pipe_bytes);
    let (reader, writer) = split(near);
    let (input, output) = split(far);
    let server = Server { output, input: BufReader::new(input) };
    (PipeTransport::new("test", reader, writer, max_line), server)
}

impl Server {
    async fn line(&mut self, line: impl AsRef<[u8]>) {
        self.output.write_all(line.as_ref()).await.unwrap();
        self.output.write_all(b"\n").await.unwrap();
    }

    async fn receive(&mut self) -> Value {
        let mut line = String::new();
        let read = self.input.read_line(&mut line);
        tokio::time::timeout(PATIENCE, read).await.expect("a line in time").unwrap();
        serde_json::from_str(&line).expect("only protocol bytes")
    }
}

/// Sends a request with this id.
async fn ask(transport: &mut Piped, id: i64) {
    let request: ClientRequest =
        serde_json::from_value(json!({"method": "tools/list", "params": {}})).unwrap();
    transport.send(JsonRpcMessage::request(request, RequestId::Number(id))).await.unwrap();
}

/// Returns the next message that rmcp receives, as JSON.
async fn next(transport: &mut Piped) -> Option<Value> {
    let message = tokio::time::timeout(PATIENCE, transport.receive()).await.expect("in time");
    message.map(|message| serde_json::to_value(message).unwrap())
}
