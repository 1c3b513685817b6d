//! `FAITHFULNESS`: the share of an answer's statements that the context supports.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Deserialize;

use super::judge::{Judge, quote_data};
use crate::error::Error as E;
use crate::evaluator::{DataPoint, EvalStatus, Evaluator, Score, value_text};
use genkit_core::Result;
use genkit_model::IntoModel;

#[derive(Deserialize, JsonSchema)]
struct Statements {
    /// Statements that each make a single claim and can be understood on their own.
    statements: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
struct StatementVerdicts {
    /// One verdict for each statement, in order.
    responses: Vec<StatementVerdict>,
}

#[derive(Deserialize, JsonSchema)]
struct StatementVerdict {
    /// The statement.
    #[serde(rename = "statement")]
    _statement: String,
    /// The reason, in one sentence.
    reason: String,
    /// Whether the context alone supports the statement.
    verdict: bool,
}

/// Returns the faithfulness metric: the share of the output's statements that the context supports. `model` is the
/// judge, which is called twice.
///
/// ```
/// use genkit::evaluate::{DataPoint, metrics};
/// use genkit::testing::ScriptedModel;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let judge = ScriptedModel::texts([
///     r#"{"statements": ["Oslo is the capital."]}"#,
///     r#"{"responses": [{"statement": "Oslo is the capital.", "reason": "It says so.", "verdict": true}]}"#,
/// ]);
/// let point = DataPoint::new("capital?").with_output("Oslo").with_context(["Oslo is the capital."]);
/// assert_eq!(metrics::faithfulness(judge).judge(point).await?[0].as_f64(), Some(1.0));
/// # Ok(())
/// # }
/// ```
pub fn faithfulness(model: impl IntoModel) -> Evaluator {
    let judge = Judge::new(model);
    let description = "The share of the output's statements that the context supports.";
    Evaluator::builder("genkitEval/faithfulness", description)
        .display_name("Faithfulness")
        .billed(true)
        .handler(move |_, point| {
            let judge = judge.clone();
            async move { Ok(score_faithfulness(&judge, &point).await?) }
        })
}

async fn score_faithfulness(judge: &Judge, point: &DataPoint) -> Result<Score> {
    let (output, context) = (point.output_text()?, point.context()?);
    let material = format!("Question: {}\nAnswer: {output}", point.input_text());
    let prompt = format!(
        "Split the answer into statements. Each makes a single claim and can be understood without the \
         others: use names instead of pronouns.\n{}",
        quote_data(&material)
    );
    let Statements { statements } = judge.ask_for_verdict(prompt).await?;
    if statements.is_empty() {
        return Err(E::MissingStatements.into());
    }
    let context: Vec<String> = context.iter().map(value_text).collect();
    let mut material = format!("Context:\n{}\n", context.join("\n"));
    for statement in &statements {
        // Writing into a `String` cannot fail.
        let _ = write!(material, "\nstatement: {statement}");
    }
    let prompt = format!(
        "Decide for each statement whether the context alone supports it, without other \
         knowledge. Give first the reason, then the verdict, for all statements in order.\n{}",
        quote_data(&material)
    );
    let StatementVerdicts { responses } = judge.ask_for_verdict(prompt).await?;
    // A missing verdict must not count as unsupported, nor be ignored.
    if responses.len() != statements.len() {
        let missing = statements.len().abs_diff(responses.len());
        return Err(E::MissingVerdicts { missing, statements: statements.len() }.into());
    }
    let holding = responses.iter().filter(|response| response.verdict).count();
    let score = holding as f64 / responses.len() as f64;
    let reasons: Vec<String> = responses.into_iter().map(|response| response.reason).collect();
    let status = EvalStatus::from_bool(score > 0.5);
    Ok(Score::new(score).with_status(status).with_reasoning(reasons.join("; ")))
}
