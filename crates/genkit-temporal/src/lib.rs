//! Durable runs of [`genkit`] on [Temporal](https://temporal.io), a workflow engine: Temporal stores the runs,
//! distributes their steps over the workers, and moves the steps of a failed worker to another worker.
//!
//! A worker performs every tool and every flow of the registry:
//!
//! ```no_run
//! use genkit::Genkit;
//! use genkit_temporal::TemporalWorker;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> genkit::Result<()> {
//! let genkit = Genkit::builder().build()?;
//! let temporal = genkit_temporal::connect("http://127.0.0.1:7233").await?;
//! TemporalWorker::new(&genkit, &temporal).run().await
//! # }
//! ```
//!
//! A client in any process:
//!
//! ```no_run
//! use genkit::Genkit;
//! use genkit_temporal::TemporalClient;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> genkit::Result<()> {
//! let genkit = Genkit::builder().default_model("gemini/gemini-2.5-flash").build()?;
//! let temporal = genkit_temporal::connect("http://127.0.0.1:7233").await?;
//! let runs = TemporalClient::new(&genkit, &temporal);
//! let ask = genkit.generate("Book a table for two.").tools(["book_table"]);
//! // The same id always refers to the same run.
//! let run = runs.durable_run("order-4711", ask).await?;
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
//! Each run is a workflow `genkit.Run` with the id of the run. The workflow stores the state of the run and does not
//! interpret it: a local activity accepts each result and determines the next steps, and the history contains the
//! output of this activity. Histories are therefore replayed identically by every version of the program, and functions
//! do not need to be deterministic. The activities `genkit.model`, `genkit.tool` and `genkit.flow` perform one step
//! each, on any worker. Results of [`Context::once`](genkit::Context::once) are signals to the workflow, which are
//! stored before the function continues.
//!
//! | step | performed |
//! |---|---|
//! | a finished step, a finished `once` | once |
//! | a step whose worker was lost (no heartbeat for 10 s) | again, from the start, on any worker; finished results of `once` are reused |
//! | the same with `#[tool(at_most_once)]` | never again automatically: the run asks the user for its outcome |
//! | a step that lost 10 workers | never again: the run fails |
//! | a model call or a flow that failed with `Unavailable`, `ResourceExhausted` or `DeadlineExceeded` | up to 5 times, with at least the wait that a server requests |
//! | a model call or a flow that failed with another error | once: the run fails |
//! | a tool that failed | once: the model receives the error as the tool's response |
//!
//! Answers are updates of the workflow, which return an error if an answer does not match an open question. The signal
//! `answer` has the same effect without a reply, and is accepted while no worker runs:
//!
//! ```text
//! temporal workflow signal --workflow-id order-4711 --name answer --input '{"plain":{"call":"call_1","answer":true}}'
//! ```
//!
//! # Limits of Temporal
//!
//! A message has at most 2 MiB and a history at most 50 MiB. Each model call records the whole conversation,
//! compressed, and each step records its result. If the history exceeds the size that the server suggests (4 MiB or
//! 4,096 events by default), a new workflow with the same id continues the run, as soon as no step is running. A run
//! can therefore have any number of steps, but its state must be smaller than 1,900 KiB after compression. If the state
//! is larger, the run fails with an error that states the size; keep files and media elsewhere and pass their URLs. One
//! step can record up to 10,000 results of `once`.
//!
//! An id can be used again once Temporal has deleted the run: after [`delete`](TemporalRun::delete), which Temporal
//! performs in the background within some minutes, or after the retention of the namespace.
//!
//! # Security
//!
//! Temporal stores conversations, arguments and results, compressed and without encryption. To encrypt them, pass a
//! client with a payload codec. A client that can poll the task queue receives steps, and a client that can start
//! workflows can call every tool: restrict access to the namespace.

#![forbid(unsafe_code)]

mod client;
mod driver;
mod error;
mod limits;
mod steps;
mod wire;
mod worker;
mod workflow;

pub use client::{TemporalClient, TemporalFlow, TemporalRun, connect};
pub use temporalio_client;
pub use worker::TemporalWorker;

/// The default task queue.
const TASK_QUEUE: &str = "genkit";
