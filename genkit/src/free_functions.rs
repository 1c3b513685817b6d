//! The functions at the root of the crate that run models.

use crate::generate::{Answer, Generate, GenerateResponse, Interrupt, IntoParts, PromptRef};
use crate::{Genkit, model};

/// Runs the agent loop: calls a language model, runs the tools that it requests, and calls the model
/// again with the results, until it responds without a tool call.
///
/// ```
/// # use genkit::message::ToolRequest;
/// # use genkit::{model::ModelResponse, testing::ScriptedModel};
/// # use serde_json::json;
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
/// # let call = ToolRequest::new("get_weather", json!({"city": "Baltimore"}));
/// # let answers = [ModelResponse::from_tool_requests([call]), ModelResponse::from_text("It is sunny.")];
/// # let model = ScriptedModel::new(answers);
/// # let gemini = model.clone();
/// let answer = genkit::generate("What is the weather in Baltimore?")
///     .model(gemini) // or by its name: "gemini/gemini-2.5-flash", with GEMINI_API_KEY set
///     .tools(tools![get_weather]) // a typo here does not compile
///     .await?;
/// assert_eq!(answer.text(), "It is sunny.");
/// # assert_eq!(model.tool_outputs("get_weather"), ["63°F and sunny in Baltimore"]);
/// # Ok(())
/// # }
/// ```
///
/// `prompt` is text, a [`Part`](crate::Part), several parts, or `()` if [`Generate::messages`] provides the whole input.
/// See [`Generate`] for every option, [`GenerateResponse`] for the result, and [`Generate::stream`] for
/// streaming.
pub fn generate(prompt: impl IntoParts) -> Generate {
    Genkit::running().generate(prompt)
}

/// Computes embeddings: numeric vectors that are close to each other if the texts are similar. `embedder` is a
/// name or a value.
///
/// ```no_run
/// use genkit::model::EmbedTask;
///
/// # async fn run() -> genkit::Result<()> {
/// let notes = ["High water at noon.", "The café opens at eight."];
/// let embedded = genkit::embed("gemini/gemini-embedding-001", notes).task(EmbedTask::Document).await?;
/// assert_eq!(embedded.embeddings.len(), 2);
/// println!("{:?} tokens", embedded.usage.input_tokens);
/// # Ok(())
/// # }
/// ```
///
/// Embedders are available from Gemini, from servers with OpenAI's `/embeddings` API (`openai/text-embedding-3-small`)
/// and from Ollama (`ollama/nomic-embed-text`). The inputs are sent in as few sequential requests as the provider
/// allows. The vectors are in the order of the inputs, and are not stored.
///
/// # Errors
/// Returns an error if the embedder does not exist or a request fails. No vectors are returned in that case.
pub fn embed<T: Into<String>>(
    embedder: impl Into<model::EmbedderRef>,
    texts: impl IntoIterator<Item = T>,
) -> model::Embed {
    Genkit::running().embed(embedder, texts)
}

/// Starts a run with a prompt, given as a value or by its name in the registry. The prompt is rendered when the run
/// starts, and the model is called with the prompt's messages, tools and settings.
///
/// ```
/// # use genkit::{model::ModelResponse, testing::ScriptedModel};
/// use genkit::{Prompt, prompt};
/// use serde_json::json;
///
/// /// Requests a haiku.
/// #[prompt]
/// async fn haiku(topic: String) -> String {
///     format!("Write a haiku about {topic}.")
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// # let gemini = ScriptedModel::text("Drops on the window ..");
/// let response = genkit::prompt("haiku") // or a value: Prompt::of::<haiku>()
///     .input(json!({"topic": "rain"})) // or a struct
///     .model(gemini) // every option of `generate`; overrides the prompt's option
///     .await?;
/// assert_eq!(response.text(), "Drops on the window ..");
///
/// let error = genkit::prompt("haikku").render().await.unwrap_err();
/// assert_eq!(error.to_string(), "Unknown prompt: haikku. Did you mean `haiku`?");
/// # let _ = Prompt::of::<haiku>();
/// # Ok(())
/// # }
/// ```
///
/// [`Generate::render`] returns the request without sending it. [`Generate::messages`] inserts earlier messages at
/// the position of the prompt's history.
pub fn prompt(prompt: impl Into<PromptRef>) -> Generate {
    Genkit::running().prompt(prompt)
}

/// Resumes an interrupted run, in this process or another. `answer` is called for each open question. Set the model
/// and the tools again, because they are not part of the response; in the same process, [`Generate::resume`] keeps
/// them.
///
/// ```
/// use genkit::model::ModelResponse;
/// use genkit::testing::ScriptedModel;
/// use genkit::message::ToolRequest;
/// use genkit::{Context, Elicited, GenerateResponse, Result, tool, tools};
/// use serde_json::json;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Where { street: String }
///
/// /// Sends the parcel.
/// #[tool]
/// async fn send(ctx: &Context) -> Result<String> {
///     let to: Where = ctx.elicit("Where to?").await?.accepted()?;
///     Ok(format!("sent to {}", to.street))
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let model = ScriptedModel::new([
///     ModelResponse::from_tool_requests([ToolRequest::new("send", ())]),
///     ModelResponse::from_text("Done."),
/// ]);
/// let asked = genkit::generate("Send it!").model(model.clone()).tools(tools![send]).await?;
/// let stored = serde_json::to_string(&asked)?; // … the process ends, another one starts …
///
/// let asked: GenerateResponse = serde_json::from_str(&stored)?;
/// let done = genkit::resume(asked, |question| question.accept(json!({"street": "High Street"})))
///     .model(model.clone())
///     .tools(tools![send])
///     .await?;
/// assert_eq!(done.text(), "Done.");
/// assert_eq!(model.tool_outputs("send"), ["sent to High Street"]);
/// # Ok(())
/// # }
/// ```
pub fn resume(interrupted: GenerateResponse, answer: impl FnMut(&Interrupt) -> Answer) -> Generate {
    Genkit::running().resume(interrupted, answer)
}

/// Resumes an interrupted run with a list of answers. Use it if obtaining the answers is asynchronous or can fail, or
/// if they arrive over the network. Every open question needs an answer. In all other respects, this function is the
/// same as [`resume`].
///
/// ```
/// # use genkit::{GenerateResponse, Result, testing::ScriptedModel};
/// use genkit::Answer;
///
/// # async fn ask_the_user(_: &genkit::Interrupt) -> Result<Answer> { unimplemented!() }
/// # async fn run(asked: GenerateResponse) -> Result<()> {
/// let mut answers: Vec<Answer> = Vec::new();
/// for question in asked.interrupts() {
///     answers.push(ask_the_user(&question).await?);
/// }
/// let done = genkit::resume_with_answers(asked, answers).model("gemini/gemini-2.5-flash").await?;
/// # Ok(())
/// # }
/// ```
pub fn resume_with_answers(
    interrupted: GenerateResponse,
    answers: impl IntoIterator<Item = Answer>,
) -> Generate {
    Genkit::running().resume_with_answers(interrupted, answers)
}

#[doc(hidden)]
#[deprecated(note = "renamed to `resume_with_answers`")]
pub fn resume_with(
    interrupted: GenerateResponse,
    answers: impl IntoIterator<Item = Answer>,
) -> Generate {
    resume_with_answers(interrupted, answers)
}
