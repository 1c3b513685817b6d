//! Gives a local model the tools of an MCP server: the guide page `mcp_servers`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

use genkit::mcp::host::{McpHost, ServerConfig};
use genkit::{Result, middleware};

#[tokio::main]
async fn main() -> Result<()> {
    genkit::log_to_stderr();
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let files = ServerConfig::stdio("npx")
        .args(["-y", "@modelcontextprotocol/server-filesystem@2026.8.31", &folder])
        .only(["read_*", "list_*", "write_file"]) // small models work best with few tools
        .needs_approval(["write_*"]);
    let host = McpHost::builder().server("fs", files).build()?;
    host.ready().await;
    for server in host.status() {
        let error = server.last_error.unwrap_or_default();
        println!("{}: {} {error}", server.server, server.state);
    }

    let run = genkit::generate("Which files are here? Then write a list to index.txt.")
        .model("ollama/qwen3")
        .tools(host.tools())
        .middleware(middleware::retry())
        .max_turns(8);
    let mut response = run.clone().await?;
    while response.is_interrupted() {
        // `run.clone()` keeps the model, tools, middleware and limits.
        let resumed = run.clone().resume(response, |question| {
            let call = question.tool_request();
            println!("Run {} with {}? [y/N]", call.name, call.input);
            let mut line = String::new();
            match std::io::stdin().read_line(&mut line) {
                Ok(_) if line.trim() == "y" => question.approve(),
                _ => question.decline_with("the user said no"),
            }
        });
        response = resumed.await?;
    }
    println!("{}", response.text());
    host.close().await;
    Ok(())
}
