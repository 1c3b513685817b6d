//! The actions.

use std::time::Duration;

use genkit::serde_json::{Map, Value};
use genkit::{Chunks, Context, Prompt, Result, flow, resource, tool, tools};

/// Says a text loudly, word by word.
#[flow]
async fn shout(
    chunks: &Chunks<String>,
    /// What is said.
    text: String,
) -> Result<String> {
    let loud = text.to_uppercase();
    for word in loud.split_whitespace() {
        chunks.send(word.to_owned()).await?;
    }
    Ok(loud)
}

/// Waits for many seconds: something to cancel.
#[flow]
async fn wait(
    /// How long, in seconds.
    seconds: u64,
) -> u64 {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    seconds
}

/// Tells who asks, as the context of the request says.
#[flow]
async fn whoami(ctx: &Context) -> String {
    let user = ctx.action_context().get("auth").and_then(|auth| auth["user"].as_str());
    user.unwrap_or("nobody").to_owned()
}

/// Adds two numbers.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Deletes a note, if the user allows it.
#[tool(needs_approval)]
async fn delete(id: u64) -> String {
    format!("note {id} is gone")
}

/// Asks for a haiku, with a model and tools of its own.
pub(crate) fn haiku() -> Prompt {
    Prompt::builder("haiku", "Asks for a haiku.")
        .argument("topic", "What it is about.")
        .model("house/echo")
        .tools(tools![add])
        .handler(|_: Context, input: Map<String, Value>| async move {
            let topic = input.get("topic").and_then(Value::as_str).unwrap_or_default();
            Ok(format!("A haiku about {topic}, please."))
        })
}

/// The rules of the house.
#[resource("house://rules")]
async fn rules() -> &'static str {
    "Be kind."
}

/// A note by its number.
#[resource("note://{id}")]
async fn note(id: u64) -> String {
    format!("note {id}")
}
