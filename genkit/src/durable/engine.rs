//! Durable runs of an engine: for crates that bring one, as `genkit-restate` does.
//!
//! An engine keeps what a run is (a [`StoredRun`](super::StoredRun)), gives its steps to workers, and brings back what
//! came of them. It needs to know nothing of either: an [`EngineRun`] says which steps are due and takes what came of
//! them, an [`EngineStep`] is data and is performed in any process that has the same registry, a [`StepDone`] is data
//! again.
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
//!         // On any machine; its `once` goes to a log of the engine.
//!         let done = step.perform(&genkit, BTreeMap::new(), NoStepLog, std::future::pending()).await?;
//!         run.take(done).await?;
//!     }
//!     kept = run.change()?; // what the engine keeps from now on
//!     log.extend(kept.log.iter().cloned());
//! }
//! let at = RunHead::new(1, kept.status, None);
//! let run = EngineRun::load(&genkit, &id, StoredRun::new(at, kept.head, log)).await?;
//! assert_eq!(run.response()?.text(), "hello");
//! # Ok(())
//! # }
//! ```
//!
//! What an engine must see to: the changes of one run come one after the other, and what [`EngineRun::due`] gave out is
//! performed once the change is kept. A step that is lost is never given out again.

#[doc(inline)]
pub use genkit_durable::engine::{EngineAnswers, EngineRun, EngineStep, NoStepLog, StepDone, StepLog};
