//! Durable runs of [`genkit`] on [Restate](https://restate.dev), a workflow engine: Restate stores the runs,
//! distributes their steps over the workers, and moves the steps of a failed worker to another worker.
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
//! // Run any number of workers behind one URL, and register that URL once:
//! // `RestateAdmin::new("http://127.0.0.1:9070")?.register("http://workers.internal:9080").await?`
//! RestateWorker::new(&genkit).serve("127.0.0.1:9080").await
//! # }
//! ```
//!
//! A client in any process:
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
//! // The same id always refers to the same run.
//! let run = restate.durable_run("order-4711", ask).await?;
//! let response = run.wait().await?; // finished or interrupted
//! if response.is_interrupted() {
//!     run.answer("call_1", true).await?; // from any process, days later
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # How it works
//!
//! The virtual object `genkit.Run` stores the state of one run. Its handlers accept a result, determine the next steps,
//! send them to workers and return. They hold no resources while a model responds or a user is asked, and a new version
//! of the program continues the runs of the old version. The service `genkit.Work` performs one step (a model call, a
//! tool call or a flow) and sends the result back. Results of [`Context::once`](genkit::Context::once) are journaled
//! before the function continues. Calls to `once` may occur in a different order in each attempt.
//!
//! | step | performed |
//! |---|---|
//! | a finished step, a finished `once` | once |
//! | a step that a crash interrupted | again, from the start, on any worker; finished results of `once` are reused |
//! | the same with `#[tool(at_most_once)]` | never again automatically: the run asks the user for its outcome |
//! | a model call or a flow that failed with `Unavailable`, `ResourceExhausted` or `DeadlineExceeded` | up to 5 times, with at least the wait that a server requests |
//! | a model call or a flow that failed with another error | once: the run fails |
//! | a tool that failed | once: the model receives the error as the tool's response |
//!
//! A flow that asks a question waits for a promise in Restate (an awakeable). It resumes in the version of the program
//! that started it, so keep that version running at its URL while the flow waits. Other runs do not have this
//! restriction.
//!
//! # Security
//!
//! Any client that can reach the workers can perform steps. Bind them to a private network, or verify requests with
//! [`RestateWorker::identity_key`]. Restate stores conversations, arguments and results without encryption.

#![forbid(unsafe_code)]

mod admin;
mod chunks;
mod client;
mod error;
mod http;
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
