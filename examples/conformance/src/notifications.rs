//! Tools that send notifications while they run.

use std::time::Duration;

use genkit::{Context, Prompt, Registry, Result, Tool, tool};

/// Waits between two messages, so that a client receives them separately.
async fn moment() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

/// Sends three log messages.
#[tool]
async fn test_tool_with_logging(ctx: &Context) -> String {
    ctx.info("Tool execution started").await;
    moment().await;
    ctx.info("Tool processing data").await;
    moment().await;
    ctx.info("Tool execution completed").await;
    "Logged three messages.".to_owned()
}

/// Sends a log message if the client requested logs.
#[tool]
async fn test_logging_tool(ctx: &Context) -> String {
    ctx.info("a log message").await;
    "Logged where wanted.".to_owned()
}

/// Reports progress.
#[tool]
async fn test_tool_with_progress(ctx: &Context) -> String {
    for done in [0.0, 50.0, 100.0] {
        ctx.progress((done, 100.0)).await;
        moment().await;
    }
    "Done.".to_owned()
}

/// Waits long enough for the connection to be lost.
#[tool]
async fn test_reconnection() -> String {
    tokio::time::sleep(Duration::from_millis(100)).await;
    "Still here.".to_owned()
}

/// Adds a tool and removes it again. Clients are notified of both changes.
#[tool]
async fn test_trigger_tool_change() -> Result<String> {
    let registry = Registry::global();
    let passing = Tool::builder("test_passing_tool", "Here for a moment.")
        .handler(|_: Context, (): ()| async { Ok(()) });
    registry.insert(passing)?;
    registry.remove_tool("test_passing_tool");
    Ok("The list of tools changed.".to_owned())
}

/// Adds a prompt and removes it again. Clients are notified of both changes.
#[tool]
async fn test_trigger_prompt_change() -> Result<String> {
    let registry = Registry::global();
    let passing = Prompt::builder("test_passing_prompt", "Here for a moment.")
        .handler(|_: Context, (): ()| async { Ok("hello") });
    registry.insert(passing)?;
    registry.remove_prompt("test_passing_prompt");
    Ok("The list of prompts changed.".to_owned())
}
