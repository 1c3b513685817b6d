//! The actions of the playground.

use std::time::Duration;

use genkit::message::ToolRequest;
use genkit::model::{self, Document, Embedding, FnEmbedder, GenerateChunk, ModelResponse};
use genkit::retrieval::Reranker;
use genkit::serde_json::{Map, Value, json};
use genkit::sessions::Agent;
use genkit::{Chunks, Context, Prompt, Result, flow, resource, retriever, tool, tools};

/// Converts text to upper case, word by word.
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

/// Searches the opening hours of the shop.
#[retriever]
async fn hours(query: Document, k: usize) -> Vec<Document> {
    let lines = ["The shop opens at nine.", "The shop closes at six.", "Tea is served all day."];
    let asked = query.text().to_lowercase();
    let found = lines.into_iter().filter(|line| asked.split(' ').any(|word| line.contains(word)));
    found.take(k).map(Document::from).collect()
}

/// Answers a question about the shop from its documents.
#[flow]
async fn answer(
    /// The question.
    question: String,
) -> Result<String> {
    Ok(genkit::generate(question).retriever("hours", 2).await?.text())
}

/// Creates an agent that adds the two numbers of a message, such as `2 + 3`, with a tool.
pub(crate) fn clerk() -> Result<Agent> {
    let model = model::from_fn("house/clerk", |request, chunks| async move {
        let last =
            request.messages.last().map(|it| (it.text(), it.tool_responses().next().cloned()));
        let (text, sum) = last.unwrap_or_default();
        if let Some(sum) = sum {
            chunks.send(GenerateChunk::from_text("It is "));
            chunks.send(GenerateChunk::from_text(format!("{}.", sum.output)));
            return ModelResponse::from_text(format!("It is {}.", sum.output));
        }
        let mut numbers = text.split(['+', ' ']).filter_map(|word| word.parse::<i64>().ok());
        let (a, b) = (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
        ModelResponse::from_tool_requests([ToolRequest::new("add", json!({"a": a, "b": b}))])
    });
    let agent = Agent::builder("clerk").description("Adds two numbers.").model(model);
    agent.tools(tools![add]).build()
}

/// Puts short documents first.
pub(crate) fn shortest() -> Reranker {
    Reranker::builder("shortest", "Puts short documents first.").handler(
        |_: Document, mut documents: Vec<Document>| async move {
            documents.sort_by_key(|document| document.text().len());
            Ok(documents)
        },
    )
}

/// Creates an embedder that counts vowels, so that the example needs no network.
pub(crate) fn vowels() -> FnEmbedder {
    model::embedder_fn("house/vowels", |texts: Vec<String>| async move {
        let count = |text: &String| ["a", "e", "o"].map(|vowel| text.matches(vowel).count() as f64);
        texts.iter().map(|text| Embedding::new(count(text))).collect::<Vec<_>>()
    })
}

/// Creates a prompt for a haiku, with its own model and tools.
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
