//! Gives a local model the tools of an MCP server: the guide page `mcp_servers`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for a person")]

use genkit::mcp::host::{McpHost, ServerConfig};
use genkit::{Result, middleware};

#[tokio::main]
async fn main() -> Result<()> {
    genkit::log_to_stderr();
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let files = ServerConfig::stdio("npx")
        .args(["-y", "@modelcontextprotocol/server-filesystem@2026.8.31", &folder])
        .only(["read_*", "list_*", "write_file"]) // a small model works better with few tools
        .needs_approval(["write_*"]);
    let host = McpHost::builder().server("fs", files).build()?;
    host.ready().await;
    for server in host.status() {
        println!("{}: {} {}", server.server, server.state, server.last_error.unwrap_or_default());
    }

    let mut response =
        genkit::generate("Which files are here? Then write a list of them to index.txt.")
            .model("ollama/qwen3")
            .tools(host.tools())
            .middleware(middleware::retry())
            .max_turns(8)
            .await?;
    while response.is_interrupted() {
        response = genkit::resume(response, |question| {
            println!("allowed: {}", question.tool_request().name);
            question.approve()
        })
        .model("ollama/qwen3")
        .tools(host.tools())
        .await?;
    }
    println!("{}", response.text());
    host.close().await;
    Ok(())
}
