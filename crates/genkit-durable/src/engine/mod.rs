//! Durable runs for workflow engines: the interface for crates such as `genkit-restate`.
//!
//! An engine stores a run (a [`StoredRun`](genkit_core::StoredRun)), passes its steps to workers, and passes the results
//! back. It does not need to interpret this data: an [`EngineRun`] returns the steps that are due and accepts their
//! results, an [`EngineStep`] is plain data that any process with the same registry can perform, and a [`StepResult`] is
//! plain data as well.
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use genkit::durable::engine::{EngineRun, NoStepLog};
//! use genkit::durable::{RunHead, RunId, RunStatus, StoredRun};
//! use genkit::testing::ScriptedModel;
//! use genkit::{Genkit, Registry};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> genkit::Result<()> {
//! let model = ScriptedModel::text("hello");
//! let genkit = Genkit::builder().registry(Registry::new()).default_model(model).build()?;
//! let id = RunId::new("order-4711")?;
//! let mut kept = EngineRun::first_of_run(&genkit, &id, genkit.generate("hi")).await?;
//! let mut log = kept.log;
//! while kept.status == RunStatus::Working {
//!     let at = RunHead::new(1, kept.status, None);
//!     let mut run = EngineRun::load(&genkit, &id, StoredRun::new(at, kept.head, log.clone())).await?;
//!     for step in run.due() {
//!         // On any machine. An engine passes its own log for the results of `once`, instead of `NoStepLog`.
//!         let done = step.perform(&genkit, BTreeMap::new(), NoStepLog, std::future::pending()).await?;
//!         run.accept_step_result(done).await?;
//!     }
//!     kept = run.change()?; // what the engine stores next
//!     log.extend(kept.log.iter().cloned());
//! }
//! let at = RunHead::new(1, kept.status, None);
//! let run = EngineRun::load(&genkit, &id, StoredRun::new(at, kept.head, log)).await?;
//! assert_eq!(run.response()?.text(), "hello");
//! # Ok(())
//! # }
//! ```
//!
//! An engine must apply the changes to one run sequentially, and perform the steps from [`EngineRun::due`] only after
//! the change is stored. [`EngineRun::due`] returns each step once, so an engine must not lose a step.

mod handle;
pub(crate) mod open_steps;
mod run;
mod step;

pub use handle::{EngineClient, EngineHandle, FlowKind, LoopKind};
pub use run::{EngineAnswers, EngineRun};
pub use step::{EngineStep, NoStepLog, StepLog, StepResult};
