//! Annotate async functions so that AI assistants can call them over MCP (the Model Context Protocol), and language
//! models in your program can call them directly. Names, descriptions and schemas come from the functions.
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
//! genkit = { path = "../genkit/genkit", features = ["cli"] } # a clone of this repository
//! tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
//! ```
//!
//! To let a model call the same function:
//! `genkit::generate("Is it sunny in Baltimore?").model("gemini/gemini-2.5-flash").tools(tools![get_weather]).await?`
//!
//! | I want to | guide | reference |
//! |---|---|---|
//! | add a tool to Claude Desktop, Claude Code, Cursor or VS Code | [quickstart](guide::quickstart) | [`serve_mcp()`], [`mcp::McpServer`] |
//! | write tools: arguments, results, state | [tools](guide::tools), [state](guide::state) | [`#[tool]`](macro@tool), [`Context`] |
//! | call a model with tools, stream, chat | [generate](guide::generate) | [`generate()`], [`Generate`] |
//! | get a typed response; answer from documents | [structured output](guide::structured_output), [retrieval](guide::retrieval) | [`Generate::extract`], [`mod@retrieval`] |
//! | ask a person for approval | [human in the loop](guide::human_in_the_loop) | [`Interrupt`], [`resume`] |
//! | write prompts and resources | [prompts](guide::prompts), [resources](guide::resources) | [`#[prompt]`](macro@prompt), [`#[resource]`](macro@resource), [`prompt()`] |
//! | serve over HTTP, with tokens, in axum | [serving](guide::serving), [authentication](guide::authentication) | [`mcp::server`] |
//! | use other MCP servers | [MCP servers](guide::mcp_servers) | [`mcp::McpHost`] |
//! | serve a chat to web pages; store conversations; show a page with the result of a tool | [browser](guide::browser), [agents](guide::agents), [apps](guide::apps) | [`serve_agui`], [`mod@sessions`] |
//! | serve and call flows | [flows](guide::flows) | [`#[flow]`](macro@flow), [`mod@flows`] |
//! | choose or implement a model | [providers](guide::providers), [models](guide::models) | [`model`] |
//! | survive a crash, run for hours or days | [long work](guide::long_work), [workflows](guide::durable_workflows), [guarantees](guide::durable_guarantees), [tasks](guide::tasks) | [`durable`] |
//! | offer folders of instructions | [skills](guide::skills) | [`Skill`] |
//! | test, trace, evaluate | [testing](guide::testing), [observability](guide::observability), [developer tools](guide::developer_tools) | [`testing`], [`evaluate`] |
//! | publish, deploy, serve TLS | [publishing](guide::publishing), [deploying](guide::deploying), [tls](guide::tls) | [`mcp::server`] |
//! | embed in a program; choose between free functions, `Genkit` and `Registry` | [embedding](guide::embedding) | [`Genkit`], [`Registry`] |
//! | handle errors, retry | [errors](guide::errors), [middleware](guide::middleware) | [`Error`], [`middleware`] |
//! | look up a term, a feature, a default, a workaround | [coming from ..](guide::coming_from), [reference](guide::reference), [settings](guide::settings), [other programs](guide::other_programs) | |
//!
//! # Feature flags
//!
//! `server` (`cli`, `mcp-http`, `log`) is for MCP servers. `agent` (`dotprompt`, `mcp-host-http`, `log`) is for agents, in
//! addition to the feature of a provider: `anthropic`, `gemini`, `openai` or `ollama`. `full` enables all features. The
//! [reference](guide::reference) describes each feature.
//!
//! **By value from the caller, by reference from the framework**: parameters by value are input, parameters by reference
//! are injected. The function can still be called directly, for example in a unit test. [All pages](guide).

#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate self as genkit;

pub mod action;
#[cfg(feature = "agui")]
pub mod agui {
    //! AG-UI: serves an agent to web pages, over HTTP with server-sent events.

    #[doc(inline)]
    pub use genkit_agui::{
        AguiRequest, AguiServer, ApiKey, Bearer, ContextProvider, FlowRequest, IntoAgent, UiEvent,
        api_key, bearer,
    };
}
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
mod free_functions;
#[cfg(feature = "generate")]
pub mod generate;
// The guide has no code of its own. Its doctests need all of these features.
#[cfg(all(
    doc,
    any(
        not(doctest),
        all(
            feature = "agui",
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
            feature = "sessions",
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
#[cfg(feature = "sessions")]
pub mod sessions {
    //! Agents: conversations that survive a crash, can continue in any process, and can be served to other programs.

    #[doc(inline)]
    pub use genkit_sessions::{
        Agent, AgentBuilder, AgentChunk, AgentError, AgentFinishReason, AgentInit, AgentInput,
        AgentOutput, AgentRun, AgentServer, AgentSession, AgentState, AgentTurn, ApiKey, Artifact,
        Bearer, ContextProvider, FlowRequest, SessionTurn, Snapshot, SnapshotStatus, TurnEnd,
        api_key, bearer, serve_agents,
    };
}
#[cfg(feature = "retrieval")]
pub mod retrieval {
    //! Retrievers, which find the documents that answer a question, and an in-memory index.
    //!
    //! ```
    //! use genkit::model::{Embedding, embedder_fn, from_fn};
    //! use genkit::retrieval::MemoryIndex;
    //!
    //! # #[tokio::main(flavor = "current_thread")]
    //! # async fn main() -> genkit::Result<()> {
    //! // In your program, use a provider's embedder instead:
    //! let lengths = embedder_fn("lengths", |texts| async move {
    //!     texts.iter().map(|text| Embedding::new([text.len() as f64, 9.0])).collect::<Vec<_>>()
    //! });
    //! let index = MemoryIndex::new(lengths);
    //! index.add(["We open at nine.", "Tea."]).await?;
    //! let notes = index.into_retriever("notes", "Searches the notes.");
    //!
    //! let model = from_fn("fake", |request, _| async move { format!("{} found", request.docs.len()) });
    //! let question = "When do you open?";
    //! let response = genkit::generate(question).docs(notes.retrieve(question, 1).await?).model(model).await?;
    //! assert_eq!(response.text(), "1 found");
    //! // Or let the model search:
    //! let tool = notes.into_tool(3);
    //! # assert_eq!(tool.name(), "notes");
    //! # Ok(())
    //! # }
    //! ```

    #[doc(hidden)]
    pub use genkit_retrieval::internal;
    #[doc(inline)]
    pub use genkit_retrieval::{
        MAX_RESULTS, MAX_TEXT_BYTES, MemoryIndex, Reranker, RerankerBuilder, Retriever,
        RetrieverBuilder, RetrieverFn,
    };
}
pub mod skill {
    //! Skills: folders with instructions for a model (`SKILL.md`) and other files.
    //!
    //! A [`Skill`] is embedded in the program ([`skills!`](crate::skills)), or read from a folder on disk
    //! ([`Skill::read_dir`], [`GenkitBuilder::skills_dir`](crate::GenkitBuilder::skills_dir)). A server lists the skills of
    //! its registry over MCP (the extension `io.modelcontextprotocol/skills`, SEP-2640). The middleware
    //! [`skills`](crate::middleware) offers skills to a model.

    #[doc(inline)]
    pub use genkit_core::{OfferedSkill, SkillSource};
    #[doc(inline)]
    pub use genkit_core::{Skill, SkillFile};
}
pub mod telemetry;
#[cfg(feature = "dotprompt")]
pub mod template;
pub mod testing;

#[doc(hidden)]
#[path = "private/mod.rs"]
pub mod __private;

pub use ::{schemars, serde, serde_json};
#[doc(inline)]
pub use action::{Chunks, Flow, Prompt, Resource, Tool, ToolReply};
#[doc(inline)]
pub use context::{Context, Elicited};
#[cfg(feature = "generate")]
#[allow(deprecated)]
pub use free_functions::{embed, generate, prompt, resume, resume_with, resume_with_answers};
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
#[doc = include_str!("docs/retriever.md")]
pub use genkit_macros::retriever;
#[doc = include_str!("docs/tool.md")]
pub use genkit_macros::tool;
pub use instance::{Genkit, GenkitBuilder};
#[cfg(feature = "log")]
pub use log::log_to_stderr;
#[doc(inline)]
pub use message::{Media, Message, Part, Role};
#[doc(inline)]
pub use skill::Skill;

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
/// Returns the errors of [`Genkit::run_flow`].
pub async fn run_flow(name: &str, input: impl serde::Serialize) -> Result<serde_json::Value> {
    Genkit::running().run_flow(name, input).await
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

/// Serves the program's flows over HTTP with the protocol of Genkit's clients: `POST /NAME` with `{"data": input}`. The
/// response is streamed if the client requests it.
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

/// Serves an agent to web pages with the protocol AG-UI 1.0: `POST /agui` takes a `RunAgentInput` and returns a
/// stream of events. A request from Vercel's AI SDK to the same path receives a UI message stream.
///
/// `agent` is a [`Generate`], a closure that takes an [`AguiRequest`](agui::AguiRequest) and returns a [`Generate`], or
/// a `sessions::Agent` (feature `sessions`), whose sessions become the client's threads.
///
/// ```no_run
/// use genkit::{tool, tools};
///
/// /// Returns the weather of a city.
/// #[tool]
/// async fn weather(city: String) -> String { format!("{city}: sunny") }
///
/// #[tokio::main]
/// async fn main() -> genkit::Result<()> {
///     let agent = genkit::generate(()).system("Be brief.").tools(tools![weather]);
///     genkit::serve_agui(agent).http("127.0.0.1:8080").await
/// }
/// ```
///
/// See [`agui::AguiServer`] for every option.
#[cfg(feature = "agui")]
pub fn serve_agui<Kind>(agent: impl agui::IntoAgent<Kind>) -> agui::AguiServer {
    agui::AguiServer::new(agent)
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
