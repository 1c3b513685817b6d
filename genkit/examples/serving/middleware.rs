//! Middleware around model calls, tool calls and MCP requests: the guide page `middleware`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

use genkit::mcp::server::{NextRequest, ServedRequest, on_call};
use genkit::middleware::{ToolOutcome, fallback, on_model, on_tool, retry};
use genkit::{Genkit, Result, tool};
use std::time::Instant;

/// Deletes a file.
#[tool(destructive)]
async fn delete_file(path: String) -> String {
    format!("{path} is gone")
}

#[tokio::main]
async fn main() -> Result<()> {
    let timed = on_model(|request, chunks, next| async move {
        let (model, started) = (next.model_name().to_owned(), Instant::now());
        let response = next.run(&request, &chunks).await?;
        let (time, tokens) = (started.elapsed(), response.usage.total_tokens);
        eprintln!("{model}: {time:?}, {tokens:?} tokens");
        Ok(response)
    });
    let guard = on_tool(|call, next| async move {
        let path = call.request().input["path"].as_str();
        if path.is_some_and(|path| path.contains("..")) {
            let error = serde_json::json!({"error": "path outside the folder"});
            return Ok(ToolOutcome::respond(call.request().respond(error)));
        }
        next.run(call).await
    });
    let genkit = Genkit::builder()
        .middleware(retry().max_retries(2)) // the first is the outermost
        .middleware(fallback(["anthropic/claude-sonnet-4-5"]))
        .middleware(timed)
        .middleware(guard) // also runs for tool calls over MCP
        .build()?;

    let seen = on_call(|request: ServedRequest, next: NextRequest| async move {
        eprintln!("{} calls {}", request.client(), request.name());
        next.run().await
    });
    genkit.serve_mcp().name("files").middleware(seen).cli().await
}
