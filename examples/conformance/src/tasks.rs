//! Tools whose calls become tasks.

use std::time::Duration;

use genkit::schemars::JsonSchema;
use genkit::serde::Deserialize;
use genkit::{Context, Error, ErrorKind, Result, tool};
use tokio::time::sleep;

/// Long enough for the call to become a task.
const A_WHILE: Duration = Duration::from_millis(20);

/// Greets immediately.
#[tool]
async fn greet(name: String) -> String {
    format!("Hello, {name}!")
}

/// Computes for a number of seconds.
#[tool(task = "now")]
async fn slow_compute(ctx: &Context, seconds: f64, label: Option<String>) -> String {
    ctx.progress((0.0, seconds)).await;
    // Without a delay the call finishes before it becomes a task.
    if seconds > 0.0 {
        sleep(Duration::from_secs_f64(seconds.min(3600.0))).await;
    }
    format!("computed {} in {seconds} s", label.as_deref().unwrap_or("it"))
}

/// Fails after a second.
#[tool(task = "always")]
async fn failing_job() -> Result<String> {
    sleep(Duration::from_secs(1)).await;
    Err(Error::new(ErrorKind::FailedPrecondition, "the job has failed"))
}

/// Panics, which results in a protocol error.
#[tool(task = "now")]
async fn protocol_error_job() -> String {
    sleep(A_WHILE).await;
    panic!("the job broke down")
}

/// A yes-or-no answer.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(crate = "genkit::serde")]
#[schemars(crate = "genkit::schemars")]
struct Confirmation {
    confirm: bool,
}

/// Looks up a file, and asks before it deletes it.
#[tool(task = "now")]
async fn confirm_delete(ctx: &Context, filename: String) -> Result<String> {
    sleep(A_WHILE).await;
    let answer = ctx.elicit::<Confirmation>(format!("Delete {filename}?")).await?;
    Ok(match answer.accepted() {
        Ok(Confirmation { confirm: true }) => format!("deleted {filename}"),
        _ => format!("kept {filename}"),
    })
}

/// A name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(crate = "genkit::serde")]
#[schemars(crate = "genkit::schemars")]
struct UserName {
    name: String,
}

/// Asks two questions at once.
#[tool(task = "now")]
async fn multi_input(ctx: &Context) -> Result<String> {
    sleep(A_WHILE).await;
    let (first, second) = tokio::join!(
        ctx.elicit::<UserName>("Who sends it?").key("sender").into_future(),
        ctx.elicit::<UserName>("Who gets it?").key("receiver").into_future(),
    );
    Ok(format!("{:?} to {:?}", first?, second?))
}

/// Asks a question first, and then becomes a task.
#[tool(task = "always")]
async fn test_tool_with_task(ctx: &Context) -> Result<String> {
    let user = ctx.elicit::<UserName>("What is your name?").key("user_name").await?.accepted()?;
    sleep(A_WHILE).await;
    Ok(format!("Hello, {}!", user.name))
}
