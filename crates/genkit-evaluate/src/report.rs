//! Reports: the results of an evaluation, by row and by metric.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::evaluator::{DataPoint, EvalStatus, Score};
use genkit_core::Error;

/// The report of an evaluation. It prints as a table and serializes to JSON.
///
/// ```
/// use genkit::evaluate::{DataPoint, Report, evaluate, metrics};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let data = [
///     DataPoint::new("q").with_output("a").with_reference("a").with_test_case_id("same"),
///     DataPoint::new("q").with_output("a").with_reference("b").with_test_case_id("other"),
/// ];
/// let report = evaluate(data).with(metrics::deep_equal()).await?;
/// assert_eq!(report.average("genkitEval/deep_equal"), Some(0.5));
/// assert_eq!(report.failures().next().unwrap().test_case_id(), "other");
/// assert!(report.to_string().contains("other"));
/// let stored = serde_json::to_string(&report)?;
/// assert_eq!(serde_json::from_str::<Report>(&stored)?, report);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    cases: Vec<CaseReport>,
}

/// A row of a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CaseReport {
    test_case_id: String,
    point: DataPoint,
    scores: Vec<MetricScore>,
}

/// The score of one metric for a row of a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MetricScore {
    metric: String,
    score: Score,
}

impl Report {
    pub(super) fn new(cases: Vec<CaseReport>) -> Self {
        Self { cases }
    }

    /// Returns the rows, in the order of the data set.
    pub fn cases(&self) -> &[CaseReport] {
        &self.cases
    }

    /// Returns the metrics with scores, in the order of their first score. A score with an id is a separate metric,
    /// named `evaluator:id`.
    pub fn metrics(&self) -> Vec<String> {
        let mut metrics: Vec<String> = Vec::new();
        for score in self.cases.iter().flat_map(|case| &case.scores) {
            let metric = score.metric();
            if !metrics.contains(&metric) {
                metrics.push(metric);
            }
        }
        metrics
    }

    /// Returns the average of a metric over the rows with a numeric score; true counts as 1 and false as 0. Returns
    /// `None` if there are no such rows.
    pub fn average(&self, metric: &str) -> Option<f64> {
        let scores = self.cases.iter().flat_map(|case| &case.scores);
        let values: Vec<f64> = scores
            .filter(|score| score.metric() == metric)
            .filter_map(|score| score.score.as_f64())
            .collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    }

    /// Returns the rows with an error, a failing score, or no scores.
    pub fn failures(&self) -> impl Iterator<Item = &CaseReport> {
        self.cases.iter().filter(|case| case.is_failure())
    }

    /// Returns whether the report has rows, and no [failure](CaseReport::is_failure).
    pub fn all_pass(&self) -> bool {
        !self.cases.is_empty() && self.failures().next().is_none()
    }
}

impl CaseReport {
    pub(super) fn with_scores(
        test_case_id: String,
        point: DataPoint,
        scores: Vec<MetricScore>,
    ) -> Self {
        Self { test_case_id, point, scores }
    }

    /// Creates a row without an output because of an error.
    pub(super) fn with_error(test_case_id: String, mut point: DataPoint, error: &Error) -> Self {
        point.error = Some(error.chain());
        Self { test_case_id, point, scores: Vec::new() }
    }

    /// Returns the id of the test case.
    pub fn test_case_id(&self) -> &str {
        &self.test_case_id
    }

    /// Returns the input of the row.
    pub fn input(&self) -> &Value {
        &self.point.input
    }

    /// Returns the output, if there is one.
    pub fn output(&self) -> Option<&Value> {
        self.point.output.as_ref()
    }

    /// Returns the error if the flow or closure failed, so that it has no output.
    pub fn error(&self) -> Option<&str> {
        self.point.error.as_deref()
    }

    /// Returns the scores of the metrics.
    pub fn scores(&self) -> &[MetricScore] {
        &self.scores
    }

    /// Returns whether the row has an error, a failing score, or no scores.
    pub fn is_failure(&self) -> bool {
        let fails = |score: &MetricScore| {
            score.score.error().is_some() || score.score.status() == Some(EvalStatus::Fail)
        };
        self.point.error.is_some() || self.scores.is_empty() || self.scores.iter().any(fails)
    }
}

impl MetricScore {
    pub(super) fn new(metric: &str, score: Score) -> Self {
        Self { metric: metric.to_owned(), score }
    }

    /// Returns the name of the metric: `evaluator`, or `evaluator:id` if the score has an id.
    pub fn metric(&self) -> String {
        match self.score.id() {
            Some(id) => format!("{}:{id}", self.metric),
            None => self.metric.clone(),
        }
    }

    /// Returns the score.
    pub fn score(&self) -> &Score {
        &self.score
    }
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    fn report(scores: impl IntoIterator<Item = Score>) -> Report {
        let case = |(at, score)| {
            let scores = vec![MetricScore::new("m", score)];
            CaseReport::with_scores(format!("c{at}"), DataPoint::new(at as u64), scores)
        };
        Report::new(scores.into_iter().enumerate().map(case).collect())
    }

    #[test]
    fn missing_score_does_not_pass() {
        assert!(!Report::default().all_pass());
        let unjudged = CaseReport::with_scores("c".into(), DataPoint::new(1), Vec::new());
        assert!(!Report::new(vec![unjudged]).all_pass());
    }

    #[test]
    fn assert_all_pass_shows_failed_rows() {
        report([Score::passed(true), Score::new(0.1)]).assert_all_pass();
        for bad in [Score::passed(false), Score::failed("no reference")] {
            let report = report([Score::passed(true), bad]);
            let panicked = catch_unwind(|| report.assert_all_pass()).unwrap_err();
            let text = panicked.downcast_ref::<String>().unwrap();
            assert!(
                text.contains("1 of 2") && text.contains("c1") && !text.contains("c0"),
                "{text}"
            );
        }
    }

    #[test]
    fn average_needs_every_row() {
        report([Score::new(0.2), Score::new(1.0)]).assert_average("m", 0.6);
        let low = report([Score::new(0.2), Score::new(0.3)]);
        catch_unwind(|| low.assert_average("m", 0.6)).unwrap_err();
        let lacking = report([Score::new(1.0), Score::failed("judge is down")]);
        catch_unwind(|| lacking.assert_average("m", 0.6)).unwrap_err();
    }
}
