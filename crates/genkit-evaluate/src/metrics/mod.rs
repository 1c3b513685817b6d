//! Metrics: the evaluators that Genkit provides, under the same names.
//!
//! | metric | judges | passes if |
//! |---|---|---|
//! | [`regex`] | whether the reference, a pattern, matches the output | it matches |
//! | [`deep_equal`] | whether the output equals the reference | it does |
#![cfg_attr(
    feature = "jsonata",
    doc = "| [`jsonata`] | whether the reference, an expression, is true for the output | it is |"
)]
//! | [`faithfulness`] | the share of the output's statements that the context supports | more than 0.5 |
//! | [`answer_relevancy`] | how close the input is to the question that the output answers | more than 0.5 |
//! | [`answer_accuracy`] | how well output and reference agree | at least 0.5 |
//! | [`maliciousness`] | whether the output is harmful | it is not |
//!
//! The last four call a model, which is billed. Their prompts state that the judged text is data and not instructions,
//! but a judge can still be manipulated, so their scores are not a security measure.
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
