//! A model without a network, and a guide to writing a provider: it uses the public API only.
//!
//! It compares words and nothing else, so that a machine without a key sees a whole loop: question,
//! call, result, answer. Whatever else it is asked, it says what it is.
//!
//! | the request | the answer |
//! |---|---|
//! | has a message that names a tool | a call of that tool, with arguments out of the message |
//! | ends with the tools' results | another tool that is named, else the results in sentences |
//! | asks for output of a schema | the schema, filled out of the message and the results |
//! | is anything else | what this model is, and how to get a real one |
//!
//! | limit | |
//! |---|---|
//! | read of a message | 8 KiB |
//! | calls of tools for one message | 8, one after the other |
//! | places filled in a schema, items of a list | 100, 16 |
//!
//! # Writing a provider
//!
//! 1. A model is a type that implements [`Model`]: a name, what it can do, and
//!    [`generate`](Model::generate). What a [`ModelInfo`] does not support is an error, or is put
//!    into the messages, before the model is called.
//! 2. [`generate`](Model::generate) reads a [`ModelRequest`]: the messages, the tools with their
//!    schemas, the tool choice and the output that is wanted. `answer` does so here; a provider
//!    posts it in the format of its service.
//! 3. It returns a [`ModelResponse`]: text, or requests for tools. The loop runs them, and calls
//!    again with the results as messages of the role `tool`; `Turn::of` in `plan.rs` finds
//!    them. Interrupts and `resume` are the loop's affair: a resumed request looks like any other.
//! 4. Where chunks [are wanted](ChunkSink::is_wanted) it sends the same answer piece by piece first.
//! 5. It reports [usage](genkit::model::Usage), as far as it knows it.
//!
//! Where a closure is enough, [`from_fn`](genkit::model::from_fn) makes a model of it.
//!
//! A value goes to `.model(..)` of a request or `.default_model(..)` of `Genkit::builder()`; with
//! `.model(..)` of the builder it is found by its name. A family of models behind one key implements
//! [`Provider`](genkit::model::Provider), and its models are found as `"provider/model"`:
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
//!             _ => Err(Error::not_found(format!("the house has no model {name}"))),
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
mod schema;
mod tell;
mod text;
mod words;

#[cfg(test)]
mod tests;

pub use choice::model;

use genkit::model::{
    ChunkSink, GenerateChunk, Model, ModelInfo, ModelRequest, ModelResponse, Supports, ToolChoice,
    ToolDefinition,
};
use genkit::serde_json::{Value, json};
use genkit::{BoxFuture, Part, Result};

/// A model that is none: deterministic, offline, honest about what it is.
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

/// The answer: the call of a tool, structured output, or text.
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
        // Output is always filled; what is not found is empty.
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
        _ if !turn.results.is_empty() => tell::results(&turn.results),
        Err(missing) => format!("{missing}. I am genkit's offline model, and go by words alone."),
        Ok(_) => tell::what_it_is(tools),
    };
    let is_json = request.output.is_json();
    ModelResponse::from_text(if is_json { json!({ "answer": text }).to_string() } else { text })
}

/// The tools that may be called: all, none, or the one that is chosen.
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

/// Sends text word by word, and a call as a whole.
fn stream(part: &Part, chunks: &ChunkSink) {
    let Some(text) = part.as_text() else {
        return chunks.send(GenerateChunk::new([part.clone()]));
    };
    text.split_inclusive(' ').for_each(|word| chunks.send(GenerateChunk::from_text(word)));
}

/// A guess of the tokens of a part: its words.
fn tokens(part: &Part) -> u64 {
    part.as_text().map_or(1, |text| text.split_whitespace().count() as u64)
}
