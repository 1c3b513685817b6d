//! An in-memory client of this program, so that `--list` and `--call` print what an MCP client
//! receives.

use serde_json::{Map, Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf,
};

use super::error::Error as E;
use super::questions::Respondent;
use crate::McpServer;
use genkit_core::Result;
use genkit_mcp::internal::error_status;
use rmcp::model::ErrorCode;

/// The buffer size of each direction of the pipe, in bytes.
const PIPE_BYTES: usize = 64 * 1024;

pub(super) struct PipeClient {
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
    next_id: u64,
    respondent: Respondent,
}

impl PipeClient {
    /// Connects to the server; `respondent` answers the questions of its tools.
    pub(super) async fn connect(server: McpServer, respondent: Respondent) -> Result<Self> {
        let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
        server.serve_pipe(theirs)?;
        let (reader, writer) = tokio::io::split(ours);
        let mut client = Self { reader: BufReader::new(reader), writer, next_id: 1, respondent };
        let about = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": respondent.capabilities(),
            "clientInfo": { "name": "command line", "version": env!("CARGO_PKG_VERSION") },
        });
        client.request("initialize", about).await?;
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await?;
        Ok(client)
    }

    /// Sends a request and returns its result.
    pub(super) async fn request(&mut self, method: &str, params: Value) -> Result<Value> {
        let id = self.next_id;
        self.next_id += 1;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(&request).await?;
        let mut line = String::new();
        loop {
            line.clear();
            let read = self.reader.read_line(&mut line).await.map_err(|_| E::Ended)?;
            if read == 0 {
                return Err(E::Ended.into());
            }
            let mut message: Value = serde_json::from_str(&line).map_err(|_| E::Ended)?;
            if message["method"] == "elicitation/create" {
                let result = self.respondent.answer(message["params"].take()).await?;
                let id = message["id"].take();
                self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result })).await?;
                continue;
            }
            // Notifications are skipped. The server sends no other requests to this client.
            if message["id"] == json!(id) && message.get("method").is_none() {
                if let Some(error) = message.get("error") {
                    let said = error["message"].as_str().unwrap_or_default().to_owned();
                    let code = error["code"].as_i64().and_then(|code| i32::try_from(code).ok());
                    let code = ErrorCode(code.unwrap_or_default());
                    let kind = error_status::kind_of_error(code, error.get("data"));
                    return Err(E::Refused { said, kind }.into());
                }
                return Ok(message["result"].take());
            }
        }
    }

    /// Reads all pages of a list.
    pub(super) async fn list_all(&mut self, method: &str, key: &str) -> Result<Vec<Value>> {
        let (mut all, mut params) = (Vec::new(), Map::new());
        loop {
            let mut page = self.request(method, Value::Object(params.clone())).await?;
            if let Value::Array(items) = page[key].take() {
                all.extend(items);
            }
            match page["nextCursor"].take() {
                cursor @ Value::String(_) => params.insert("cursor".to_owned(), cursor),
                _ => return Ok(all),
            };
        }
    }

    async fn send(&mut self, message: &Value) -> Result<()> {
        let line = format!("{message}\n");
        self.writer.write_all(line.as_bytes()).await.map_err(|_| E::Ended)?;
        Ok(())
    }
}
