//! Annotate async functions, and AI assistants can call them over MCP (the Model Context Protocol), and language models
//! in your program. Names, descriptions and schemas come from the function itself.
//!
//! ```no_run
//! # #[cfg(feature = "cli")]
//! # mod program {
//! use genkit::tool;
//!
//! /// Gets the current weather in a city.
//! #[tool]
//! async fn get_weather(city: String) -> String {
//!     format!("63°F and sunny in {city}")
//! }
//!
//! #[tokio::main]
//! async fn main() -> genkit::Result<()> {
//!     genkit::serve_mcp().cli().await // every annotated function, for every MCP client
//! }
//! # }
//! # fn main() {}
//! ```
//!
//! ```toml
//! [dependencies]
//! genkit = { git = "<address of this repository>", features = ["cli"] }
//! tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
//! ```
//!
//! To let a model call the same function:
//! `genkit::generate("Is it sunny in Baltimore?").model("gemini/gemini-2.5-flash").tools(tools![get_weather]).await?`
//!
//! | I want to | guide | reference |
//! |---|---|---|
//! | give Claude Desktop, Claude Code, Cursor, VS Code a tool | [quickstart](guide::quickstart) | [`serve_mcp()`], [`mcp::McpServer`] |
//! | write tools: arguments, results, state | [tools](guide::tools), [state](guide::state) | [`#[tool]`](macro@tool), [`Context`] |
//! | ask a model, stream, chat, with tools | [generate](guide::generate) | [`generate()`], [`Generate`] |
//! | get a typed response | [structured output](guide::structured_output) | [`Generate::extract`] |
//! | ask a person for approval | [human in the loop](guide::human_in_the_loop) | [`Interrupt`], [`resume`] |
//! | write prompts and resources | [prompts](guide::prompts) | [`#[prompt]`](macro@prompt), [`#[resource]`](macro@resource), [`prompt()`] |
//! | serve over HTTP, with tokens, in axum | [serving](guide::serving), [authentication](guide::authentication) | [`mcp::server`] |
//! | use other MCP servers | [MCP servers](guide::mcp_servers) | [`mcp::McpHost`] |
//! | serve and call flows | [flows](guide::flows) | [`#[flow]`](macro@flow), [`mod@flows`] |
//! | choose or implement a model | [providers](guide::providers) | [`model`] |
//! | survive a crash, run for hours or days | [long work](guide::long_work), [tasks](guide::tasks) | [`durable`] |
//! | offer folders of instructions | [skills](guide::skills) | [`Skill`] |
//! | test, trace, evaluate | [testing](guide::testing), [observability](guide::observability), [developer tools](guide::developer_tools) | [`testing`], [`evaluate`] |
//! | deploy, serve TLS, embed in a program | [deploying](guide::deploying), [tls](guide::tls), [embedding](guide::embedding) | [`Genkit`], [`Registry`] |
//! | handle errors, retry | [errors](guide::errors), [middleware](guide::middleware) | [`Error`], [`middleware`] |
//! | look up a term, a feature, a default | [coming from ..](guide::coming_from), [reference](guide::reference), [settings](guide::settings) | |
//!
//! **By value from the caller, by reference from the framework**: parameters by value are input, parameters by reference
//! are injected. The function can still be called directly, for example in a unit test. [All pages](guide).

extern crate self as genkit;

pub mod action;
pub mod context;
#[cfg(feature = "dev-tools")]
pub mod dev;
#[cfg(feature = "durable")]
pub mod durable;
#[cfg(feature = "evaluators")]
pub mod evaluate;
#[cfg(any(feature = "flows", feature = "flow-client"))]
pub mod flows;
#[cfg(feature = "generate")]
pub mod generate;
// Documentation pages without code. Their examples use nearly every feature.
#[cfg(all(
    doc,
    any(
        not(doctest),
        all(
            feature = "anthropic",
            feature = "cli",
            feature = "dev-tools",
            feature = "dotprompt",
            feature = "durable",
            feature = "evaluators",
            feature = "flow-client",
            feature = "flows",
            feature = "gemini",
            feature = "jwt",
            feature = "log",
            feature = "mcp-host-http",
            feature = "ollama",
            feature = "openai-responses",
            feature = "testing"
        )
    )
))]
pub mod guide;
mod instance;
#[cfg(feature = "log")]
mod log;
#[macro_use]
mod macros;
#[cfg(any(feature = "mcp-server", feature = "mcp-host"))]
pub mod mcp;
pub mod message;
#[cfg(feature = "generate")]
pub mod middleware;
#[cfg(feature = "generate")]
pub mod model;
pub mod skill;
pub mod telemetry;
#[cfg(feature = "dotprompt")]
pub mod template;
pub mod testing;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use ::{schemars, serde, serde_json};
#[doc(inline)]
pub use action::{Chunks, Flow, Prompt, Resource, Tool, ToolReply};
#[doc(inline)]
pub use context::{Context, Elicited};
#[cfg(feature = "generate")]
#[doc(inline)]
pub use generate::{
    Answer, Approval, Chat, Format, Generate, GenerateResponse, GenerateStream, Interrupt,
};
#[doc(inline)]
pub use genkit_core::{Action, IntoActions, Registry};
#[doc(inline)]
pub use genkit_core::{BoxFuture, Error, ErrorContext, ErrorKind, Result};
#[doc = include_str!("docs/flow.md")]
pub use genkit_macros::flow;
#[doc = include_str!("docs/prompt.md")]
pub use genkit_macros::prompt;
#[doc = include_str!("docs/resource.md")]
pub use genkit_macros::resource;
#[doc = include_str!("docs/tool.md")]
pub use genkit_macros::tool;
pub use instance::{Genkit, GenkitBuilder};
#[cfg(feature = "log")]
pub use log::log_to_stderr;
#[doc(inline)]
pub use message::{Media, Message, Part, Role};
#[doc(inline)]
pub use skill::Skill;

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
/// `prompt` is text, a [`Part`], several parts, or `()` if [`Generate::messages`] provides the whole input.
/// See [`Generate`] for every option, [`GenerateResponse`] for the result, and [`Generate::stream`] for
/// streaming.
#[cfg(feature = "generate")]
pub fn generate(prompt: impl generate::IntoParts) -> Generate {
    Genkit::default().generate(prompt)
}

/// Computes embeddings: vectors for texts, so that similar texts have similar vectors. The embedder is a name
/// or a value.
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
/// and from Ollama (`ollama/nomic-embed-text`). The texts are sent in as few requests as the provider allows, one after
/// the other. The vectors are in the order of the texts, and are not stored.
///
/// # Errors
/// Returns an error if the embedder does not exist or a request fails. No vectors are returned in that case.
#[cfg(feature = "generate")]
pub fn embed<T: Into<String>>(
    embedder: impl Into<model::EmbedderRef>,
    texts: impl IntoIterator<Item = T>,
) -> model::Embed {
    Genkit::default().embed(embedder, texts)
}

/// Starts a run with a prompt, given as a value or by its name in the registry. The prompt is rendered when the
/// run starts, and the model is called with its messages, tools and settings.
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
///     .model(gemini) // every option of `generate`; it overrides the prompt
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
/// [`Generate::render`] returns the request without sending it. [`Generate::messages`] adds earlier messages, which
/// are inserted where the prompt has its history.
#[cfg(feature = "generate")]
pub fn prompt(prompt: impl Into<generate::PromptRef>) -> Generate {
    Genkit::default().prompt(prompt)
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
#[cfg(feature = "generate")]
pub fn resume(interrupted: GenerateResponse, answer: impl FnMut(&Interrupt) -> Answer) -> Generate {
    Genkit::default().resume(interrupted, answer)
}

/// Resumes an interrupted run with a list of answers. Use it if obtaining the answers is asynchronous or can fail, or if
/// they arrive over the network. Every open question needs an answer. Otherwise the same as [`resume`].
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
/// let done = genkit::resume_with(asked, answers).model("gemini/gemini-2.5-flash").await?;
/// # Ok(())
/// # }
/// ```
#[cfg(feature = "generate")]
pub fn resume_with(
    interrupted: GenerateResponse,
    answers: impl IntoIterator<Item = Answer>,
) -> Generate {
    Genkit::default().resume_with(interrupted, answers)
}

/// Runs a flow of the program by its name, with JSON in and JSON out.
///
/// ```
/// use genkit::flow;
/// use serde_json::json;
///
/// /// Repeats a word.
/// #[flow]
/// async fn say_twice(word: String) -> String {
///     format!("{word} {word}")
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// assert_eq!(genkit::run_flow("say_twice", json!({"word": "well"})).await?, "well well");
/// # Ok(())
/// # }
/// ```
///
/// To run a flow that takes state, use [`Genkit::run_flow`].
///
/// # Errors
/// The same as [`Genkit::run_flow`].
pub async fn run_flow(name: &str, input: impl serde::Serialize) -> Result<serde_json::Value> {
    Genkit::default().run_flow(name, input).await
}

/// Serves the program's tools, prompts and resources over MCP: on stdio, or on the transport that the builder sets.
///
/// ```no_run
/// # async fn run() -> genkit::Result<()> {
/// genkit::serve_mcp().await                                  // stdio
/// # }
/// ```
#[cfg(feature = "mcp-server")]
pub fn serve_mcp() -> mcp::McpServer {
    Genkit::default().serve_mcp()
}

/// Serves the program's flows over HTTP with the protocol of Genkit's clients: `POST /NAME` with
/// `{"data": input}`, streamed if the client requests it.
///
/// ```no_run
/// use genkit::flow;
///
/// /// Greets a person.
/// #[flow]
/// async fn greet(who: String) -> String { format!("hello {who}") }
///
/// #[tokio::main]
/// async fn main() -> genkit::Result<()> {
///     genkit::serve_flows().await // on 127.0.0.1, port `$PORT` or 3400
/// }
/// ```
///
/// See [`flows::FlowServer`] for every option.
#[cfg(feature = "flows")]
pub fn serve_flows() -> flows::FlowServer {
    Genkit::default().serve_flows()
}

/// Calls a flow of any Genkit server by its URL: see [`flows::FlowCall`].
///
/// ```no_run
/// # async fn run() -> genkit::Result<()> {
/// use serde_json::json;
///
/// let hello = genkit::flow_client("http://127.0.0.1:3400/greet")
///     .input(json!({"who": "Ann"}))
///     .output::<String>()
///     .await?;
/// assert_eq!(hello, "hello Ann");
/// # Ok(())
/// # }
/// ```
#[cfg(feature = "flow-client")]
pub fn flow_client(url: impl Into<String>) -> flows::FlowCall {
    flows::FlowCall::new(url)
}
