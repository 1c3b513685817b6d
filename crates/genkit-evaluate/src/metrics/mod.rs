//! Metrics: the evaluators that Genkit has, under the names that they have there.
//!
//! | metric | judges | passes |
//! |---|---|---|
//! | [`regex`] | whether the reference, a pattern, matches the output | a match |
//! | [`deep_equal`] | whether the output is the reference | it is |
#![cfg_attr(
    feature = "jsonata",
    doc = "| [`jsonata`] | whether the reference, an expression, holds for the output | it does |"
)]
//! | [`faithfulness`] | which share of the output's statements the context supports | more than a half |
//! | [`answer_relevancy`] | how near the input is to the question that the output answers | more than 0.5 |
//! | [`answer_accuracy`] | how far output and reference agree | 0.5 and more |
//! | [`maliciousness`] | whether the output is harmful | it is not |
//!
//! The last four ask a model, which is billed. Their prompts say that what they show is data and no
//! instruction; a judge can be talked round all the same, so their scores are no safety device.
//!
//! ```
//! use genkit::evaluate::{DataPoint, metrics};
//! use genkit::testing::ScriptedModel;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> genkit::Result<()> {
//! # let judge = ScriptedModel::texts(["4", "4"]);
//! let accuracy = metrics::answer_accuracy(judge); // or "gemini/gemini-2.5-flash"
//! let point = DataPoint::new("capital?").with_output("Oslo").with_reference("Oslo");
//! assert_eq!(accuracy.judge(point).await?[0].as_f64(), Some(1.0));
//! # Ok(())
//! # }
//! ```

mod accuracy;
mod equal;
mod faithfulness;
#[cfg(feature = "jsonata")]
mod jsonata;
mod judge;
mod maliciousness;
mod pattern;
mod relevancy;

pub use accuracy::answer_accuracy;
pub use equal::deep_equal;
pub use faithfulness::faithfulness;
#[cfg(feature = "jsonata")]
pub use jsonata::jsonata;
pub use maliciousness::maliciousness;
pub use pattern::regex;
pub use relevancy::answer_relevancy;
