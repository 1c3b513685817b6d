//! `FAITHFULNESS`: which share of an answer the context supports.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Deserialize;

use super::judge::{Judge, data};
use crate::error::Error as E;
use genkit_core::Result;
use genkit_core::internal::action::text_of;
use genkit_core::{DataPoint, EvalStatus, Evaluator, Score};
use genkit_model::IntoModel;

#[derive(Deserialize, JsonSchema)]
struct Statements {
    /// Each says one thing, and is understood without the others.
    statements: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
struct StatementVerdicts {
    /// One for each statement, in their order.
    responses: Vec<StatementVerdict>,
}

#[derive(Deserialize, JsonSchema)]
struct StatementVerdict {
    /// The statement.
    #[serde(rename = "statement")]
    _statement: String,
    /// Why, in one sentence.
    reason: String,
    /// Whether the context alone supports it.
    verdict: bool,
}

/// Faithfulness: which share of the statements of the output the context supports. `model` judges, in two
/// calls.
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
    let description = "Which share of the statements of the output the context supports.";
    Evaluator::builder("genkitEval/faithfulness", description)
        .display_name("Faithfulness")
        .billed(true)
        .handler(move |_, point| {
            let judge = judge.clone();
            async move { Ok(score(&judge, &point).await?) }
        })
}

async fn score(judge: &Judge, point: &DataPoint) -> Result<Score> {
    let (output, context) = (point.output_text()?, point.context()?);
    let material = format!("Question: {}\nAnswer: {output}", point.input_text());
    let prompt = format!(
        "Take the answer apart into statements. Each says one thing and is understood without the \
         others: names instead of pronouns.\n{}",
        data(&material)
    );
    let Statements { statements } = judge.verdict(prompt).await?;
    if statements.is_empty() {
        return Err(E::NoStatements.into());
    }
    let context: Vec<String> = context.iter().map(text_of).collect();
    let mut material = format!("Context:\n{}\n", context.join("\n"));
    for statement in &statements {
        // Writing to a text never fails.
        let _ = write!(material, "\nstatement: {statement}");
    }
    let prompt = format!(
        "Decide for each statement whether the context alone supports it, without what you know from \
         elsewhere. First the reason, then the verdict; all statements, in their order.\n{}",
        data(&material)
    );
    let StatementVerdicts { responses } = judge.verdict(prompt).await?;
    // A statement without a verdict would count as one that does not hold, or not at all.
    if responses.len() != statements.len() {
        let missing = statements.len().abs_diff(responses.len());
        return Err(E::NoVerdicts { missing, statements: statements.len() }.into());
    }
    let holding = responses.iter().filter(|response| response.verdict).count();
    let score = holding as f64 / responses.len() as f64;
    let reasons: Vec<String> = responses.into_iter().map(|response| response.reason).collect();
    let status = EvalStatus::passed(score > 0.5);
    Ok(Score::of(score).with_status(status).with_reasoning(reasons.join("; ")))
}
