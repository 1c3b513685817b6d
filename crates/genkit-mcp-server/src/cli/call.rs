//! `--call`: calls a tool once.

use serde_json::{Map, Value, json};

use super::client::PipeClient;
use super::error::Error as E;
use super::print;
use crate::McpServer;
use genkit_core::Result;

pub(super) async fn call(
    server: McpServer,
    name: &str,
    arguments: Map<String, Value>,
    json: bool,
) -> Result<()> {
    let mut client = PipeClient::connect(server).await?;
    let result =
        client.request("tools/call", json!({ "name": name, "arguments": arguments })).await?;
    let failed = result["isError"] == true;
    if json {
        print::print_json(&result)?;
    } else if !failed {
        print::print_text(&format!("{}\n", display_text(&result)))?;
    }
    if failed {
        return Err(E::ToolFailed { tool: name.to_owned(), said: display_text(&result) }.into());
    }
    Ok(())
}

/// The result as displayed to a user: texts verbatim, all other content as JSON.
fn display_text(result: &Value) -> String {
    let blocks = result["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let shown = |block: &Value| match block["text"].as_str() {
        Some(text) => text.to_owned(),
        None => block.to_string(),
    };
    blocks.iter().map(shown).collect::<Vec<_>>().join("\n")
}
