//! Offers skills to a model or to MCP clients: the guide page `skills`.

#![allow(clippy::print_stdout, reason = "a command-line program")]

use genkit::{Genkit, Result, middleware};

#[tokio::main]
async fn main() -> Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "skills".into());
    if std::env::args().any(|argument| argument == "--serve") {
        // MCP clients list the skills and read their files as resources.
        return Genkit::builder().build()?.serve_mcp().skills_dir(folder).await;
    }
    // The model sees names and descriptions, and calls a tool to load a skill.
    let answer = genkit::generate("How do I fix a typo here?")
        .model("gemini/gemini-2.5-flash")
        .middleware(middleware::skills([folder]))
        .await?;
    println!("{}", answer.text());
    Ok(())
}
