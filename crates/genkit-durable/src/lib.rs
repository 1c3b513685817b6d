//! Durable runs: runs and flows that survive the process.
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
//! // The same id always refers to the same run, in any process that executes this line.
//! let ask = genkit::generate("A table for two!").tools(["book"]);
//! let run = genkit.durable_run("order-4711", ask).await?;
//! let answer = run.wait().await?;
//! assert!(answer.is_interrupted()); // the run uses no resources while it waits, even for days
//! run.answer("call_1", json!(true)).await?; // from any process
//! assert_eq!(run.wait().await?.text(), "Booked.");
//! # std::fs::remove_dir_all(folder).ok();
//! # Ok(())
//! # }
//! ```
//!
//! The state of the run is saved after each model call, each tool call and each
//! [`Context::once`](genkit_core::Context::once). Code is not replayed, so functions do not need to be deterministic,
//! and a new version of the program can continue the runs of the old version. The process that waits also works:
//! [`DurableRun::wait`] performs the steps that are due, as does `Genkit::work`, in any number of processes. At most
//! one of them holds the lease of a run at any time.
//!
//! # At least once
//!
//! If a machine fails after a step was performed but before its result is saved, the step is performed again. No store
//! or engine can avoid that. A durable run guarantees:
//!
//! | step | performed |
//! |---|---|
//! | a saved response from the model, tool result or result of `once` | once: it is never performed again |
//! | a model call that a crash interrupted | again, with the same request |
//! | a tool call that a crash interrupted | again, from the start; saved results of `once` are reused |
//! | a tool with `#[tool(at_most_once)]` that a crash interrupted | never again automatically: the run asks the user for its outcome |
//! | work inside `once` that a crash interrupted, or whose result was not saved | again |
//!
//! For the last row, use [`Context::idempotency_key`](genkit_core::Context::idempotency_key): it returns the same key
//! each time, for services that detect repeated requests. While the store fails, a process keeps the results in memory
//! and tries to save them again, for up to twice the lease duration.
//!
//! The table applies to everything inside a run: agents as tools, prompts and model calls inside a function, and the
//! flows and tools that a function runs. A step that crashes its process is started in at most 10 processes; then the
//! run fails, and an operator can continue it with `retry`.
//!
//! # What needs a name
//!
//! A process that continues a run looks up the run's dependencies in its own registry: the model, the tools, and
//! middleware added with `named_middleware`. Code without a name (an approval policy, validators,
//! extensions, tools of MCP servers) is rejected when the run is created; the error lists all such
//! code. `#[tool(needs_approval)]` does not need a policy. For runs with code without a name, use the stepper:
//! [`Generate::start`](genkit_agent::Generate::start) and
//! [`Generate::resume_run`](genkit_agent::Generate::resume_run).
//!
//! # Errors and retries
//!
//! A model call that fails with a temporary error is retried up to 4 times, after 1, 4, 16 and 64 seconds. In the
//! meantime, the run is suspended in the store. A flow is retried in the same way, from the start. An error from a
//! tool is not retried: the model receives it as the tool's response. Use a [`RetryPolicy`] to change these defaults.
//! A failed run stays in the store: [`DurableRun::wait`] returns its error, which holds the partial response.
//!
//! # Child runs, signals and schedules
//!
//! Functions of a durable run start child runs, wait for signals and publish a status with the methods of
//! [`DurableContext`]. Workers start runs on a schedule and limit runs per name or tag: see [`Worker`].
//!
//! The store contains conversations, arguments and results without encryption.

#![allow(
    missing_docs,
    reason = "items that `genkit` re-exports are documented, which a test of `genkit` checks; the rest is internal to the workspace"
)]

mod answering;
mod drive;
pub mod engine;
mod error;
mod flow_state;
mod folder;
mod handle;
mod inside;
#[doc(hidden)]
pub mod internal;
mod journal;
mod limits;
mod memory;
mod operate;
mod outcome;
mod record;
mod runs;
mod session;
mod settings;
mod testing;
mod unreadable;
mod work;

pub use folder::FolderStore;
pub use genkit_core::internal::context::RunWait;
pub use genkit_core::{
    LeaseEnd, LeaseTime, RunChange, RunEntry, RunFilter, RunHead, RunId, RunStatus, RunStore,
    StoredRun,
};
pub use handle::{DurableFlow, DurableRun, RunEvent, RunStream};
pub use inside::{ChildFlow, ChildRun, DurableContext};
pub use operate::{RunDetails, RunStep, Runs, StepKind};
pub use outcome::FlowOutcome;
pub use settings::{DurableOptions, RetryPolicy};
pub use testing::check_run_store;
pub use work::{Cron, Worker};
