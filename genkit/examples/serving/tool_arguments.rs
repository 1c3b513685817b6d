//! Every kind of argument: the guide page `tools`.

use genkit::{Result, tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The urgency of a task.
#[derive(Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Priority {
    /// Can wait.
    Low,
    #[default]
    Normal,
    /// Due today.
    High,
}

/// A location.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Place {
    city: String,
    /// The postal code, in the format of the country.
    #[schemars(length(max = 12))]
    code: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Task {
    id: u64,
    title: String,
    priority: Priority,
    place: Option<Place>,
}

/// Creates a task.
#[tool(title = "Create a task", destructive = false, timeout = "5s")]
async fn create_task(
    /// The task, in a few words.
    #[schemars(length(min = 1, max = 200), example = "Buy milk")]
    title: String,
    #[arg(default)] priority: Priority,
    /// Days from now.
    #[arg(default = 1)]
    #[schemars(range(min = 0, max = 365))]
    days: u16,
    place: Option<Place>,
) -> Result<Task> {
    Ok(Task { id: u64::from(days), title, priority, place })
}

#[tokio::main]
async fn main() -> Result<()> {
    genkit::serve_mcp().name("tasks").cli().await
}
