//! A tool that takes an hour, as a task of MCP: the page `tasks` of the guide.

use genkit::durable::FolderStore;
use genkit::{Context, Genkit, Result, tool};
use std::time::Duration;

/// Makes the yearly report.
#[tool(task = "2s", timeout = "2h")] // a task once it has run for 2 seconds
async fn yearly_report(ctx: &Context, year: u32) -> Result<String> {
    let mut pages = 0;
    for month in 1..=12_u32 {
        // Saved when it is done: not done again after a restart.
        pages += ctx.once(&format!("{year}-{month}"), count_pages(month)).await?;
        ctx.progress((f64::from(month), 12.0)).await; // what a client that polls is shown
    }
    Ok(format!("{pages} pages"))
}

async fn count_pages(month: u32) -> Result<u32> {
    tokio::time::sleep(Duration::from_millis(10)).await;
    Ok(20 + month)
}

#[tokio::main]
async fn main() -> Result<()> {
    genkit::log_to_stderr();
    // With a store a task goes on after a restart, and every instance on it answers for it.
    let genkit = Genkit::builder().durable(FolderStore::open("tasks")?).build()?;
    genkit.serve_mcp().task_ttl(Duration::from_secs(4 * 3600)).cli().await
}
