//! Evaluation: measures the quality of flows and models with metrics over a data set.
//!
//! [`evaluate`](evaluate()) runs a flow over a [`DataSet`] and scores its outputs, so that a unit test can require a
//! minimum quality. The commands `eval:flow` and `eval:run` of Genkit's CLI do the same with the [`Evaluator`]s in a
//! registry.
//!
//! ```
//! use genkit::evaluate::{DataPoint, evaluate, metrics};
//! use genkit::{Flow, flow};
//! use serde_json::json;
//!
//! /// The capital of a country.
//! #[flow]
//! async fn capital(country: String) -> String {
//!     if country == "Norway" { "Oslo".to_owned() } else { "unknown".to_owned() }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> genkit::Result<()> {
//! let data = vec![
//!     DataPoint::new(json!({"country": "Norway"})).with_reference("Oslo"),
//!     DataPoint::new(json!({"country": "Atlantis"})).with_reference("unknown"),
//! ];
//! let report = evaluate(data).flow(Flow::of::<capital>()).with(metrics::deep_equal()).await?;
//! report.assert_all_pass();
//! println!("{report}"); // a table
//! # Ok(())
//! # }
//! ```
//!
//! | topic | see |
//! |---|---|
//! | built-in metrics | [`metrics`] |
//! | custom metrics | [`Evaluator::builder`] |
//! | rows from a file | [`DataSet::read`] |
//! | results | [`Report`] |

#![allow(
    missing_docs,
    reason = "items that `genkit` re-exports are documented, which a test of `genkit` checks; the rest is internal to the workspace"
)]

mod data_set;
mod display;
mod error;
mod evaluator;
pub mod metrics;
mod report;
mod run;
mod table;

pub use data_set::{DataSet, IntoDataSet};
#[doc(inline)]
pub use evaluator::{DataPoint, EvalStatus, Evaluator, EvaluatorBuilder, IntoScores, Score};
pub use report::{CaseReport, MetricScore, Report};
pub use run::{Evaluate, IntoEvaluators, evaluate};
