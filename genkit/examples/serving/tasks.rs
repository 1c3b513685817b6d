//! A tool that runs for hours as an MCP task: the guide page `tasks`.

use genkit::durable::FolderStore;
use genkit::{Context, Genkit, Result, tool};
use std::time::Duration;

/// Creates the yearly report.
#[tool(task = "2s", timeout = "2h")] // becomes a task after 2 seconds
async fn yearly_report(ctx: &Context, year: u32) -> Result<String> {
    let mut pages = 0;
    for month in 1..=12_u32 {
        // The result is saved, so it is not computed again after a restart.
        pages += ctx.once(&format!("{year}-{month}"), count_pages(month)).await?;
        ctx.progress((f64::from(month), 12.0)).await; // shown to a client that polls
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
    // With a store, tasks resume after a restart and are visible to every instance.
    let genkit = Genkit::builder().durable(FolderStore::open("tasks")?).build()?;
    genkit.serve_mcp().task_ttl(Duration::from_secs(4 * 3600)).cli().await
}
