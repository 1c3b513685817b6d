//! Skills for a model and for MCP clients: the page `skills` of the guide.

#![allow(clippy::print_stdout, reason = "a program for a person")]

use genkit::{Genkit, Result, middleware};

#[tokio::main]
async fn main() -> Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "skills".into());
    if std::env::args().any(|argument| argument == "--serve") {
        // For clients of MCP: they list skills, and read their files as resources.
        return Genkit::builder().build()?.serve_mcp().skills_dir(folder).await;
    }
    // For a model: it sees names and descriptions, and loads what it needs by a tool.
    let answer = genkit::generate("How do I mend a typo here?")
        .model("gemini/gemini-2.5-flash")
        .middleware(middleware::skills([folder]))
        .await?;
    println!("{}", answer.text());
    Ok(())
}
