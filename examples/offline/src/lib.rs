//! A model that works without a network, and an example of how to write a provider with the public API.
//!
//! The model matches words, so you can run a complete agent loop without an API key: question, call, result, response.
//! For any other request it responds with a description of itself.
//!
//! | request | response |
//! |---|---|
//! | has a message that names a tool | a call to that tool, with arguments from the message |
//! | ends with the results of tools | a call to another named tool, otherwise the results as sentences |
//! | has an output schema | an instance of the schema, filled from the message and the results |
//! | anything else | a description of this model, and how to use a real one |
//!
//! | limit | value |
//! |---|---|
//! | length of a message that is read | 8 KiB |
//! | tool calls per message | 8, one after another |
//! | filled fields of a schema, items of a list | 100, 16 |
//!
//! # Writing a provider
//!
//! 1. A model is a type that implements [`Model`]: a name, its capabilities, and
//!    [`generate`](Model::generate). If a request uses a feature that the model's [`ModelInfo`] does not list, genkit
//!    returns an error or simulates the feature in the messages.
//! 2. [`generate`](Model::generate) receives a [`ModelRequest`]: the messages, the tools with their
//!    schemas, the tool choice and the requested output. A provider converts it to the format of its
//!    service and sends it; here, `answer` computes the response.
//! 3. `generate` returns a [`ModelResponse`]: text or tool requests. The agent loop runs the tools and calls the model
//!    again with the results as messages of the role `tool`; `Turn::of` in `plan.rs` reads
//!    them. The loop handles interrupts and `resume`: a resumed request looks like any other.
//! 4. If chunks [are wanted](ChunkSink::is_wanted), `generate` first sends the same response in chunks.
//! 5. The response contains the [usage](genkit::model::Usage), if it is known.
//!
//! If a closure is enough, use [`from_fn`](genkit::model::from_fn).
//!
//! Pass a model as a value to `.model(..)` of a request or `.default_model(..)` of `Genkit::builder()`. If you add it
//! with `.model(..)` of the builder, you can refer to it by its name. A family of models with one API key implements
//! [`Provider`](genkit::model::Provider), and its models are named `"provider/model"`:
//!
//! ```
//! use std::sync::Arc;
//!
//! use genkit::model::{Model, Provider};
//! use genkit::{Error, Genkit, Result};
//! use offline::Offline;
//!
//! struct House;
//!
//! impl Provider for House {
//!     fn name(&self) -> &str {
//!         "house"
//!     }
//!
//!     fn model(&self, name: &str) -> Result<Arc<dyn Model>> {
//!         match name {
//!             offline::NAME => Ok(Arc::new(Offline)),
//!             _ => Err(Error::not_found(format!("model `{name}` not found"))),
//!         }
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<()> {
//! let genkit = Genkit::builder().provider(House).default_model("house/offline").build()?;
//! let answer = genkit.generate("What is the meaning of life?").await?;
//! assert!(answer.text().starts_with("I am genkit's offline model"));
//! # Ok(())
//! # }
//! ```

mod choice;
mod fill;
mod plan;
mod replies;
mod schema;
mod text;
mod tokenize;

#[cfg(test)]
mod tests;

pub use choice::model;

use genkit::model::{
    ChunkSink, GenerateChunk, Model, ModelInfo, ModelRequest, ModelResponse, Supports, ToolChoice,
    ToolDefinition,
};
use genkit::serde_json::{Value, json};
use genkit::{BoxFuture, Part, Result};

/// A deterministic replacement for a language model, which works offline.
///
/// ```
/// use genkit::{tool, tools};
/// use offline::Offline;
///
/// /// Gets the current weather in a city.
/// #[tool]
/// async fn get_weather(city: String) -> String {
///     format!("63°F and sunny in {city}")
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let answer = genkit::generate("What is the weather in Baltimore?")
///     .model(Offline)
///     .tools(tools![get_weather])
///     .await?;
/// assert_eq!(answer.text(), "63°F and sunny in Baltimore");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Offline;

/// The name of [`Offline`], for command lines and configurations.
pub const NAME: &str = "offline";

impl Model for Offline {
    fn name(&self) -> &str {
        NAME
    }

    fn info(&self) -> ModelInfo {
        ModelInfo::default().with_label("genkit's offline model").with_supports(Supports::all())
    }

    fn generate<'a>(
        &'a self,
        request: &'a ModelRequest,
        chunks: &'a ChunkSink,
    ) -> BoxFuture<'a, Result<ModelResponse>> {
        Box::pin(async move {
            let mut response = answer(request);
            let content = response.message.as_ref().map_or(&[][..], |message| &message.content);
            if chunks.is_wanted() {
                content.iter().for_each(|part| stream(part, chunks));
            }
            response.usage.output_tokens = Some(content.iter().map(tokens).sum());
            let read = request.messages.iter().flat_map(|message| &message.content);
            response.usage.input_tokens = Some(read.map(tokens).sum());
            Ok(response)
        })
    }
}

/// Computes the response: a tool call, structured output, or text.
fn answer(request: &ModelRequest) -> ModelResponse {
    let turn = plan::Turn::of(request);
    let tools = offered(request);
    let forced = request.tool_choice.as_ref().is_some_and(ToolChoice::is_forced);
    let call = turn.call(tools, forced);
    if let Ok(Some(call)) = call {
        return ModelResponse::from_tool_requests([call]);
    }
    let format = request.output.format.as_deref();
    if let Some(schema) = request.output.schema.as_deref().filter(|_| format != Some("text")) {
        // Every field is filled; values that are not found are empty.
        let output = fill::fill(&turn.prompt, schema, &[], &turn.results).unwrap_or_default();
        return ModelResponse::from_text(match (format, &output) {
            (Some("enum"), Value::String(value)) => value.clone(),
            (Some("jsonl"), Value::Array(rows)) => {
                rows.iter().map(|row| format!("{row}\n")).collect()
            }
            _ => output.to_string(),
        });
    }
    let text = match call {
        _ if !turn.results.is_empty() => replies::results(&turn.results),
        Err(missing) => format!("{missing}. I am genkit's offline model and only match words."),
        Ok(_) => replies::what_it_is(tools),
    };
    let is_json = request.output.is_json();
    ModelResponse::from_text(if is_json { json!({ "answer": text }).to_string() } else { text })
}

/// Returns the tools that can be called: all, none, or the chosen one.
fn offered(request: &ModelRequest) -> &[ToolDefinition] {
    match &request.tool_choice {
        Some(ToolChoice::None) => &[],
        Some(ToolChoice::Tool(name)) => {
            let chosen = request.tools.iter().position(|tool| tool.name == *name);
            chosen.map_or(&[], |at| &request.tools[at..=at])
        }
        _ => &request.tools,
    }
}

/// Sends text word by word, and a tool call in one chunk.
fn stream(part: &Part, chunks: &ChunkSink) {
    let Some(text) = part.as_text() else {
        return chunks.send(GenerateChunk::new([part.clone()]));
    };
    text.split_inclusive(' ').for_each(|word| chunks.send(GenerateChunk::from_text(word)));
}

/// Estimates the tokens of a part by its words.
fn tokens(part: &Part) -> u64 {
    part.as_text().map_or(1, |text| text.split_whitespace().count() as u64)
}
