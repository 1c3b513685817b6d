//! What a client sees, shown in the terminal.

#![allow(clippy::print_stdout, reason = "this is a program for a person, not a stdio server")]

use genkit::Result;
use genkit::mcp::McpServer;
use genkit::serde_json::{Value, json};
use genkit::testing::Client;

/// Lists the tools and calls them through a client in memory.
pub(crate) async fn run(server: McpServer) -> Result<()> {
    let client = Client::connect(server).await?;
    println!("This program offers these tools to MCP clients:\n");
    for tool in client.tools().await? {
        println!("  {}  {}", tool.name, tool.description.as_deref().unwrap_or_default());
        println!("    arguments: {}", Value::Object((*tool.input_schema).clone()));
    }
    println!("\nThe same calls that a language model would make:\n");
    for (name, arguments) in [
        ("add", json!({ "a": 2, "b": 40 })),
        ("convert_temperature", json!({ "degrees": 68 })),
        ("count_words", json!({ "text": "annotate a function and serve it" })),
        ("add", json!({ "a": "two", "b": 40 })),
    ] {
        let answer = client.call(name, arguments.clone()).await?;
        let kind = if answer.is_error() { "an error that the model can mend" } else { "ok" };
        println!("  {name}({arguments})\n    {kind}: {}", answer.text());
    }
    let program = std::env::current_exe()?;
    println!(
        "\nTo use them in Claude Desktop, add this to claude_desktop_config.json:\n\n{:#}\n",
        json!({ "mcpServers": { "quickstart": { "command": program, "args": [] } } })
    );
    println!("Over HTTP: cargo run -p quickstart -- --http 127.0.0.1:8000");
    Ok(())
}
