//! The actions of the playground.

use std::time::Duration;

use genkit::serde_json::{Map, Value};
use genkit::{Chunks, Context, Prompt, Result, flow, resource, tool, tools};

/// Converts a text to upper case, word by word.
#[flow]
async fn shout(
    chunks: &Chunks<String>,
    /// The text.
    text: String,
) -> Result<String> {
    let loud = text.to_uppercase();
    for word in loud.split_whitespace() {
        chunks.send(word.to_owned()).await?;
    }
    Ok(loud)
}

/// Waits for a number of seconds, to try out cancellation.
#[flow]
async fn wait(
    /// The time to wait, in seconds.
    seconds: u64,
) -> u64 {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    seconds
}

/// Returns the caller from the context of the request.
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

/// A prompt for a haiku, with its own model and tools.
pub(crate) fn haiku() -> Prompt {
    Prompt::builder("haiku", "Asks for a haiku.")
        .argument("topic", "The topic of the haiku.")
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

/// A note, by number.
#[resource("note://{id}")]
async fn note(id: u64) -> String {
    format!("note {id}")
}
