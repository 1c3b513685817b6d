//! Durable runs: runs of the loop, and flows, that survive the process.
//!
//! ```
//! use genkit::durable::FolderStore;
//! use genkit::message::ToolRequest;
//! use genkit::model::ModelResponse;
//! use genkit::testing::ScriptedModel;
//! use genkit::{Genkit, Registry, tool, tools};
//! use serde_json::json;
//!
//! /// Books a table.
//! #[tool(needs_approval)]
//! async fn book(people: u32) -> String { format!("a table for {people}") }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> genkit::Result<()> {
//! # let model = ScriptedModel::new([
//! #     ModelResponse::from_tool_requests([ToolRequest::new("book", json!({"people": 2})).with_id("call_1")]),
//! #     ModelResponse::from_text("Booked."),
//! # ]);
//! # let folder = std::env::temp_dir().join(format!("genkit-durable-{}", std::process::id()));
//! let genkit = Genkit::builder()
//!     .registry(Registry::new().add(tools![book]))
//!     .default_model(model) // or by its name: "gemini/gemini-2.5-flash"
//!     .durable(FolderStore::open(&folder)?)
//!     .build()?;
//! // The same id is the same run, never a second one, in whatever process this line runs.
//! let ask = genkit::generate("A table for two!").tools(["book"]);
//! let run = genkit.durable_run("order-4711", ask).await?;
//! let answer = run.wait().await?;
//! assert!(answer.is_interrupted()); // it holds nothing now, for days if need be
//! run.answer("call_1", json!(true)).await?; // from any process
//! assert_eq!(run.wait().await?.text(), "Booked.");
//! # std::fs::remove_dir_all(folder).ok();
//! # Ok(())
//! # }
//! ```
//!
//! What the run is, its state, is saved after each model call, each tool call and each
//! [`Context::once`](genkit_core::Context::once); nothing is replayed, so that functions follow no rules and a new version of
//! the program goes on with the runs of the old one. Who waits works: [`DurableRun::wait`] performs what is due, as does
//! [`Genkit::work`](genkit_agent::Genkit::work), in as many processes as there are. One of them has the lease of a run at a time.
//!
//! # At least once
//!
//! Between the moment that something was done and the moment that this is saved, a machine can die, and then it is
//! done again. No store and no engine removes that. What a durable run promises:
//!
//! | what | how often |
//! |---|---|
//! | an answer of the model, a settled tool call, a finished `once` that was saved | once: it is never done again |
//! | a model call that a crash cut off | again, with the same request |
//! | a tool call that a crash cut off | again, from its beginning; what it did by `once` is not done again |
//! | a tool with `#[tool(at_most_once)]` that a crash cut off | never again by itself: the run asks a person what became of it |
//! | work inside of `once` that a crash cut off, or that ended and was not saved | again |
//!
//! For the last row there is [`Context::idempotency_key`](genkit_core::Context::idempotency_key): the same text each time, for
//! services that know what they did already. A store that cannot be reached is tried again while the process lives,
//! since what was done is known only there.
//!
//! # What must have a name
//!
//! Another process finds what a run needs in its registry: the model, the tools, middleware by
//! [`named_middleware`](genkit_agent::GenkitBuilder::named_middleware). What is code and has no name (an approval policy,
//! validators, extensions, tools of MCP servers) is refused when the run is made, by an error that lists all of it.
//! `#[tool(needs_approval)]` needs no policy. For runs with such code there is the stepper:
//! [`Generate::start`](genkit_agent::Generate::start) and [`Generate::resume_run`](genkit_agent::Generate::resume_run).
//!
//! # What fails
//!
//! A model call that fails with what may pass is tried again, 5 times in all, after 1, 4, 16, .. seconds; the run waits
//! in the store meanwhile. So does a flow, from its beginning. A tool's failure is an answer for the model. What is
//! stored of a failed run can be read: [`DurableRun::wait`] gives the error, which owns what was done.
//!
//! The store holds conversations, arguments and results as they are, unencrypted.

#![allow(missing_docs, reason = "what is public for users is documented, which a test of `genkit` checks; the rest is for sibling crates")]

mod answering;
mod drive;
pub mod engine;
mod error;
mod flow_state;
mod folder;
mod handle;
#[doc(hidden)]
pub mod internal;
mod journal;
mod limits;
mod memory;
mod outcome;
mod record;
mod resting;
mod runs;
mod session;
mod testing;
mod work;

pub use folder::FolderStore;
pub use genkit_core::{RunChange, RunHead, RunId, RunStatus, RunStore, StoredRun};
pub use handle::{DurableFlow, DurableRun};
pub use outcome::FlowOutcome;
pub use testing::check_run_store;
pub use work::Worker;
