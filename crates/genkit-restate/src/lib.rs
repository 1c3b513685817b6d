//! Durable runs of [`genkit`] on [Restate](https://restate.dev), the engine for a fleet: it keeps the runs, spreads their
//! steps over the workers that there are, and gives a step of a worker that died to another.
//!
//! A worker serves every tool and every flow of the registry:
//!
//! ```no_run
//! use genkit::Genkit;
//! use genkit_restate::RestateWorker;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> genkit::Result<()> {
//! let genkit = Genkit::builder().build()?;
//! // As many as there are, behind one address; Restate must be told that address, once:
//! // `RestateAdmin::new("http://127.0.0.1:9070")?.register("http://workers.internal:9080").await?`
//! RestateWorker::new(&genkit).serve("127.0.0.1:9080").await
//! # }
//! ```
//!
//! A client, anywhere:
//!
//! ```no_run
//! use genkit::Genkit;
//! use genkit_restate::RestateClient;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> genkit::Result<()> {
//! let genkit = Genkit::builder().default_model("gemini/gemini-2.5-flash").build()?;
//! let restate = RestateClient::new(&genkit, "http://127.0.0.1:8080")?;
//! let ask = genkit.generate("Book a table for two.").tools(["book_table"]);
//! // The same id is the same run, never a second one.
//! let run = restate.durable_run("order-4711", ask).await?;
//! let response = run.wait().await?; // its answer, or what it asks
//! if response.is_interrupted() {
//!     run.answer("call_1", true).await?; // from any process, days later
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # How it works
//!
//! The object `genkit.Run`, one for each run, keeps its state. Its handlers take what happened, ask the run what is next,
//! send that to workers and return: nothing is held while a model thinks or a person sleeps, and a new version of the
//! program goes on with the runs of the old one. The service `genkit.Work` performs one step, a model call, a tool call or
//! a flow, and sends back what came of it. What [`Context::once`](genkit::Context::once) did is journaled before the
//! function goes on; it need not do so in the same order each time.
//!
//! | what | how often |
//! |---|---|
//! | a step that has ended, a finished `once` | once |
//! | a step that a crash cut off | again, from its beginning, at any worker, without its finished `once` |
//! | the same with `#[tool(at_most_once)]` | never by itself: a person is asked what became of it |
//! | a model call or a flow that failed with `Unavailable`, `ResourceExhausted`, `DeadlineExceeded` | 5 times in all; what a server asks to wait counts |
//! | one that failed with anything else | once: the run has failed |
//! | a tool that failed | once: its failure is an answer for the model |
//!
//! A flow that asks waits for a promise of Restate (an awakeable): it goes on in the version of the program that it began
//! with, so that version must be kept while it waits, at its address. Runs of the loop have no such rule.
//!
//! # What stands open
//!
//! Whoever reaches the workers' address can perform steps: bind it to a private network, or check the requests with
//! [`RestateWorker::identity_key`]. Restate keeps conversations, arguments and results as they are, unencrypted.

#![forbid(unsafe_code)]

mod admin;
mod client;
mod error;
mod http;
mod kept;
mod limits;
mod object;
mod step_journal;
mod wire;
mod work;
mod worker;

pub use admin::RestateAdmin;
pub use client::{RestateClient, RestateFlow, RestateRun};
pub use restate_sdk;
pub use worker::RestateWorker;
