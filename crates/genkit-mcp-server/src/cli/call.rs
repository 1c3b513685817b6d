//! `--call`: calls a tool once.

use serde_json::{Value, json};

use super::cli_command::Call;
use super::client::PipeClient;
use super::error::Error as E;
use super::print;
use super::questions::Respondent;
use crate::McpServer;
use genkit_core::internal::action::without_schema;
use genkit_core::{ErrorKind, Result};
use genkit_mcp::internal::error_status;

/// Calls a tool and prints its result.
///
/// # Errors
/// Returns the tool's error with its kind. Only `--json` includes the schema that the arguments
/// must match.
pub(super) async fn call(server: McpServer, call: Call) -> Result<()> {
    let Call { tool, arguments, json, yes } = call;
    let respondent = Respondent::from_flag(yes);
    let mut client = PipeClient::connect(server, respondent).await?;
    let params = json!({ "name": tool, "arguments": arguments });
    let result = client.request("tools/call", params).await.map_err(|e| respondent.explain(e))?;
    let has_failed = result["isError"] == true;
    if json {
        print::print_json(&result)?;
    } else if !has_failed {
        print::print_text(&format!("{}\n", display_text(&result)))?;
    }
    if has_failed {
        let kind = result.get("_meta").and_then(error_status::kind_of_meta);
        let said = without_schema(&display_text(&result)).to_owned();
        let failed = E::ToolFailed { said, kind: kind.unwrap_or(ErrorKind::Unknown) };
        return Err(respondent.explain(failed.into()));
    }
    Ok(())
}

/// Returns the result as displayed to a user: text verbatim, all other content as JSON.
fn display_text(result: &Value) -> String {
    let blocks = result["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let shown = |block: &Value| match block["text"].as_str() {
        Some(text) => text.to_owned(),
        None => block.to_string(),
    };
    blocks.iter().map(shown).collect::<Vec<_>>().join("\n")
}
