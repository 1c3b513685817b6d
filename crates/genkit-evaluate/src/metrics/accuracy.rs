//! `ANSWER_ACCURACY`: how well an answer agrees with the reference.

use super::judge::{Judge, quote_data};
use crate::error::Error as E;
use crate::evaluator::{DataPoint, EvalStatus, Evaluator, Score};
use genkit_core::Result;
use genkit_model::IntoModel;

/// The highest rating of the judge.
const BEST: u32 = 4;

/// Returns the answer accuracy metric: how well the output and the reference agree, compared in both directions.
/// `model` is the judge.
///
/// ```
/// use genkit::evaluate::{DataPoint, metrics};
/// use genkit::testing::ScriptedModel;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let judge = ScriptedModel::texts(["4", "2"]);
/// let point = DataPoint::new("capital?").with_output("Oslo").with_reference("Oslo, Norway");
/// assert_eq!(metrics::answer_accuracy(judge).judge(point).await?[0].as_f64(), Some(0.75));
/// # Ok(())
/// # }
/// ```
pub fn answer_accuracy(model: impl IntoModel) -> Evaluator {
    let judge = Judge::new(model);
    let description = "How well the output and the reference agree.";
    Evaluator::builder("genkitEval/answer_accuracy", description)
        .display_name("Answer Accuracy")
        .billed(true)
        .handler(move |_, point| {
            let judge = judge.clone();
            async move { Ok(score_accuracy(&judge, &point).await?) }
        })
}

async fn score_accuracy(judge: &Judge, point: &DataPoint) -> Result<Score> {
    let question = point.input_text();
    let (output, reference) = (point.output_text()?, point.reference_text()?);
    let forth = rate_answer(judge, &question, &output, &reference).await?;
    let back = rate_answer(judge, &question, &reference, &output).await?;
    let score = f64::from(forth + back) / f64::from(2 * BEST);
    Ok(Score::new(score).with_status(EvalStatus::from_bool(score >= 0.5)))
}

async fn rate_answer(judge: &Judge, question: &str, answer: &str, reference: &str) -> Result<u32> {
    let material =
        format!("Question: {question}\nUser Answer: {answer}\nReference Answer: {reference}");
    let prompt = format!(
        "Rate how well the user answer agrees with the reference answer to the question.\n\
         4: it contains everything in the reference and nothing that contradicts it; wording does not \
         matter.\n\
         2: it contains part of the reference, or all of it with additional claims that the reference does not \
         support.\n\
         0: it contradicts the reference, misses it, or makes no claim.\n\
         Answer with the number only.\n{}",
        quote_data(&material)
    );
    let answer = judge.ask_for_text(prompt).await?;
    read(&answer).ok_or_else(|| {
        E::InvalidRating(genkit_schema::internal::truncate::excerpt(answer.trim(), 80)).into()
    })
}

/// Parses the number at the start of an answer.
fn read(answer: &str) -> Option<u32> {
    let answer = answer.trim();
    let end = answer.find(|c: char| !c.is_ascii_digit()).unwrap_or(answer.len());
    answer[..end].parse().ok().filter(|rating| *rating <= BEST)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn rating_is_a_number_up_to_four() {
        for (answer, rating) in [
            ("4", Some(4)),
            (" 2\n", Some(2)),
            ("0.", Some(0)),
            ("40", None),
            ("-1", None),
            ("", None),
        ] {
            assert_eq!(read(answer), rating, "{answer}");
        }
    }
}
