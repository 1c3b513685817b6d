//! `ANSWER_RELEVANCY`: whether an answer is relevant to the question.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::judge::{Judge, quote_data};
use crate::error::Error as E;
use crate::evaluator::{DataPoint, EvalStatus, Evaluator, Score, value_text};
use genkit_core::Result;
use genkit_model::{Embedder, IntoModel};

/// The penalty if the question was not answered.
const PENALTY: f64 = 0.5;

#[derive(Deserialize, JsonSchema)]
struct AnswerVerdict {
    /// The question that the answer answers.
    question: String,
    /// Whether the answer answers the question that was asked.
    answered: bool,
    /// Whether the answer is evasive, such as "I do not know" or "it depends".
    noncommittal: bool,
}

/// Returns the answer relevancy metric: how close the input is to the question that the output answers, as the cosine
/// similarity of their embeddings. The score is 0.5 lower if the output does not answer the input, and 0 if the output
/// is evasive. `model` is the judge, and `embedder` computes the embeddings. The data point must have a context.
///
/// ```
/// use genkit::evaluate::{DataPoint, metrics};
/// use genkit::model::{Embedding, embedder_fn};
/// use genkit::testing::ScriptedModel;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let judge = ScriptedModel::text(r#"{"question": "capital?", "answered": true, "noncommittal": false}"#);
/// let embedder = embedder_fn("lengths", |texts| async move {
///     texts.iter().map(|text| Embedding::new([1.0, text.len() as f64])).collect::<Vec<_>>()
/// });
/// let point = DataPoint::new("capital?").with_output("Oslo").with_context(["Oslo is the capital."]);
/// let score = &metrics::answer_relevancy(judge, embedder).judge(point).await?[0];
/// assert!(score.as_f64().unwrap() > 0.99);
/// # Ok(())
/// # }
/// ```
pub fn answer_relevancy(model: impl IntoModel, embedder: impl Embedder) -> Evaluator {
    let (judge, embedder) = (Judge::new(model), Arc::new(embedder) as Arc<dyn Embedder>);
    let description = "How close the input is to the question that the output answers.";
    Evaluator::builder("genkitEval/answer_relevancy", description)
        .display_name("Answer Relevancy")
        .billed(true)
        .handler(move |_, point| {
            let (judge, embedder) = (judge.clone(), Arc::clone(&embedder));
            async move { Ok(score_relevancy(&judge, &*embedder, &point).await?) }
        })
}

async fn score_relevancy(
    judge: &Judge,
    embedder: &dyn Embedder,
    point: &DataPoint,
) -> Result<Score> {
    let (asked, answer) = (point.input_text(), point.output_text()?);
    let context: Vec<String> = point.context()?.iter().map(value_text).collect();
    let material = format!("Question: {asked}\nAnswer: {answer}\nContext: {}", context.join("\n"));
    let prompt = format!(
        "Write the one question that this answer fits best, based only on the answer and the context. Then \
         state whether the answer answers the question that was asked, and whether it is evasive, as in \"I do \
         not know\" or \"it depends\".\n{}",
        quote_data(&material)
    );
    let verdict: AnswerVerdict = judge.ask_for_verdict(prompt).await?;
    if verdict.question.trim().is_empty() {
        return Err(E::MissingQuestion.into());
    }
    let vectors = embedder.embed(vec![asked, verdict.question]).await?;
    let [asked, answered] = &vectors[..] else {
        let (embedder, given) = (embedder.name().to_owned(), vectors.len());
        return Err(E::Embeddings { embedder, given }.into());
    };
    let cosine = cosine_similarity(asked.values(), answered.values())
        .ok_or_else(|| E::UndefinedCosine(embedder.name().to_owned()))?;
    let (score, why) = match (verdict.noncommittal, verdict.answered) {
        (true, _) => (0.0, "Noncommittal"),
        (_, true) => (cosine, "Cosine similarity"),
        (_, false) => {
            let why = "Cosine similarity with a penalty, since the question was not answered";
            ((cosine - PENALTY).max(0.0), why)
        }
    };
    Ok(Score::new(score).with_status(EvalStatus::from_bool(score > 0.5)).with_reasoning(why))
}

/// Returns the absolute cosine of two vectors, or `None` if it is undefined.
fn cosine_similarity(a: &[f64], b: &[f64]) -> Option<f64> {
    if a.len() != b.len() {
        return None;
    }
    let product: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
    let length = |vector: &[f64]| vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    let cosine = (product / (length(a) * length(b))).abs();
    cosine.is_finite().then(|| cosine.min(1.0))
}

#[cfg(test)]
mod tests {
    use super::cosine_similarity;

    #[test]
    fn cosine_needs_two_vectors_of_one_length_that_are_not_zero() {
        assert_eq!(cosine_similarity(&[1.0, 0.0], &[0.0, 2.0]), Some(0.0));
        assert_eq!(cosine_similarity(&[1.0], &[-3.0]), Some(1.0));
        for (a, b) in
            [(&[1.0][..], &[1.0, 2.0][..]), (&[0.0], &[1.0]), (&[], &[]), (&[f64::NAN], &[1.0])]
        {
            assert_eq!(cosine_similarity(a, b), None);
        }
    }
}
