//! A model without a network.
//!
//! It compares words and nothing else:
//!
//! | the request | the answer |
//! |---|---|
//! | has a message that names a tool | calls of that tool, with arguments out of the message |
//! | ends with the tools' results | the results in sentences |
//! | asks for JSON of a schema | the schema as a form, filled out of the message and the results |
//! | is anything else | what this model is, and how to get a real one |
//!
//! | limit | |
//! |---|---|
//! | looked at of a message | 64 KiB |
//! | calls of tools for one message | 8 |
//! | depth of a schema | 32 |
//! | places filled in a schema | 1000 |

mod choose;
mod fill;
mod guess;
mod label;
mod names;
mod numbers;
mod pick;
mod plan;
mod property;
mod run;
mod says;
mod shape;
mod tell;
mod text;
mod tool;
mod words;

#[cfg(test)]
mod tests;

use crate::message::Part;
use crate::model::{
    ChunkSink, GenerateChunk, Generating, Model, ModelInfo, ModelRequest, ModelResponse, Supports,
    ToolChoice,
};
use plan::Plan;
use run::Run;

/// A model that is none: deterministic, offline, honest about what it is.
///
/// It calls tools and fills forms by the words of a message, so that a machine without a key sees
/// a whole loop: question, call, answer. Whatever else it is asked, it says what it is.
///
/// ```
/// use genkit::model::Offline;
/// use genkit::{tool, tools};
///
/// /// Gets the current weather in a city.
/// #[tool]
/// async fn get_weather(city: String) -> String {
///     format!("63°F and sunny in {city}")
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let ask = |prompt: &str| genkit::generate(prompt).model(Offline::new());
/// let answer = ask("What is the weather in Baltimore?").tools(tools![get_weather]).await?;
/// assert_eq!(answer.text(), "63°F and sunny in Baltimore");
///
/// let answer = ask("What is the meaning of life?").await?;
/// assert!(answer.text().starts_with("I am genkit's offline model"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Offline(());

impl Offline {
    /// The name under which `.model("offline")` finds it.
    ///
    /// ```
    /// use genkit::model::{Model, Offline};
    ///
    /// assert_eq!(Offline::new().name(), Offline::NAME);
    /// ```
    pub const NAME: &'static str = "offline";

    /// Makes one.
    ///
    /// ```
    /// use genkit::model::{ModelRef, Offline};
    ///
    /// assert_eq!(ModelRef::from(Offline::new()).name(), "offline");
    /// ```
    pub fn new() -> Self {
        Self(())
    }
}

impl Model for Offline {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn info(&self) -> ModelInfo {
        ModelInfo {
            label: Some("genkit's offline model".to_owned()),
            supports: Some(Supports::all()),
            ..ModelInfo::default()
        }
    }

    fn generate<'a>(&'a self, request: &'a ModelRequest, chunks: &'a ChunkSink) -> Generating<'a> {
        Box::pin(async move {
            let response = answer(request);
            if chunks.is_wanted() {
                send(&response, chunks);
            }
            Ok(response)
        })
    }
}

/// What it answers.
fn answer(request: &ModelRequest) -> ModelResponse {
    let run = Run::of(request);
    let tools: &[_] =
        if request.tool_choice == Some(ToolChoice::None) { &[] } else { &request.tools };
    let required = request.tool_choice == Some(ToolChoice::Required);
    let plan = match run.results.is_empty() {
        true => plan::first(&run, tools, required),
        false => plan::next(&run, tools),
    };
    if let Plan::Call(calls) = plan {
        return ModelResponse::tool_requests(calls);
    }
    if let Some(form) = tell::form(&run, &request.output) {
        return ModelResponse::text(form);
    }
    let said = match plan {
        _ if !run.results.is_empty() => says::results(&run.results),
        Plan::Lacks(missing) => says::missing(&missing),
        _ => says::what_it_is(tools),
    };
    ModelResponse::text(tell::plain(said, &request.output))
}

/// Sends text word by word, and tool requests together.
fn send(response: &ModelResponse, chunks: &ChunkSink) {
    let content = response.message.iter().flat_map(|message| &message.content);
    let (texts, requests): (Vec<&Part>, Vec<&Part>) =
        content.partition(|part| part.as_text().is_some());
    for word in texts.into_iter().filter_map(Part::as_text).flat_map(words_of) {
        chunks.send(GenerateChunk::of_text(word));
    }
    if !requests.is_empty() {
        chunks.send(GenerateChunk::new(requests.into_iter().cloned()));
    }
}

/// The words of a text with the blanks after them.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(|c: char| c.is_whitespace())
}
