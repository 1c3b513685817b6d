//! Evaluation: whether the answers of flows and models are good, by metrics over a data set.
//!
//! [`evaluate`](evaluate()) runs a flow over a [`DataSet`] and judges what comes out, so that a unit test can say
//! how good is good enough. Genkit's CLI does the same with `eval:flow` and `eval:run`: what a registry has of
//! [`Evaluator`]s it finds there.
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
//! | for | see |
//! |---|---|
//! | metrics that are there | [`metrics`] |
//! | your own metric | [`Evaluator::builder`] |
//! | rows of a file | [`DataSet::read`] |
//! | what came out | [`Report`] |

#[doc(inline)]
pub use genkit_core::{DataPoint, EvalStatus, Evaluator, EvaluatorBuilder, IntoScores, Score};
#[doc(inline)]
pub use genkit_evaluate::metrics;
#[doc(inline)]
pub use genkit_evaluate::{
    CaseReport, DataSet, Evaluate, IntoDataSet, IntoEvaluators, MetricScore, Report, evaluate,
};
