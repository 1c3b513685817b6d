//! The printed table of a report.

use std::fmt::Write as _;

use super::report::{CaseReport, Report};
use crate::evaluator::{EvalStatus, Score};
use genkit_schema::internal::truncate::excerpt;

/// The maximum width of a cell, in characters.
const WIDEST: usize = 40;

/// The maximum length of a reason below the table, in characters.
const LONGEST_REASON: usize = 300;

/// Builds a table of the rows that `wanted` selects, the averages of all rows, and the reasons of failures.
pub(super) fn format_report(report: &Report, wanted: impl Fn(&CaseReport) -> bool) -> String {
    let metrics = report.metrics();
    let mut rows = vec![vec!["case".to_owned()]];
    rows[0].extend(metrics.iter().cloned());
    for case in report.cases().iter().filter(|case| wanted(case)) {
        let mut row = vec![excerpt(case.test_case_id(), WIDEST)];
        row.extend(metrics.iter().map(|metric| {
            let score = case.scores().iter().find(|score| score.metric() == *metric);
            score.map_or("-".to_owned(), |score| format_cell(score.score()))
        }));
        rows.push(row);
    }
    let mut averages = vec!["average".to_owned()];
    averages.extend(metrics.iter().map(|metric| {
        report.average(metric).map_or("-".to_owned(), |average| format!("{average:.3}"))
    }));
    rows.push(averages);
    let mut text = align_columns(&rows);
    for case in report.cases().iter().filter(|case| wanted(case) && case.is_failure()) {
        for (metric, why) in list_reasons(case) {
            let why = excerpt(&why.replace(['\n', '\r'], " "), LONGEST_REASON);
            // Writing into a `String` cannot fail.
            let _ = writeln!(text, "{} {metric}: {why}", case.test_case_id());
        }
    }
    text
}

fn format_cell(score: &Score) -> String {
    if score.error().is_some() {
        return "error".to_owned();
    }
    let value = score.value().map_or("-".to_owned(), |value| match value.as_f64() {
        Some(number) if value.is_f64() => format!("{number:.3}"),
        _ => excerpt(&crate::evaluator::value_text(value), WIDEST),
    });
    match score.status() {
        Some(EvalStatus::Pass) => format!("{value} pass"),
        Some(EvalStatus::Fail) => format!("{value} FAIL"),
        _ => value,
    }
}

/// Returns the reasons why a case failed, each with the metric that reports it.
fn list_reasons(case: &CaseReport) -> Vec<(String, String)> {
    let mut reasons = Vec::new();
    if let Some(error) = case.error() {
        reasons.push(("failed".to_owned(), error.to_owned()));
    }
    for score in case.scores() {
        let failed = score.score().status() == Some(EvalStatus::Fail);
        let reasoning = score.score().reasoning().filter(|_| failed);
        if let Some(why) = score.score().error().or(reasoning) {
            reasons.push((score.metric(), why.to_owned()));
        }
    }
    reasons
}

/// Aligns the columns to the width of their widest cell.
fn align_columns(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let line: Vec<String> =
            row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
        text.push_str(line.join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::report::MetricScore;
    use super::*;
    use crate::evaluator::DataPoint;

    #[test]
    fn table_reads_well() {
        let judged = |name: &str, score| {
            let scores = vec![MetricScore::new("m", score), MetricScore::new("n", Score::new("x"))];
            CaseReport::with_scores(name.to_owned(), DataPoint::new(1), scores)
        };
        let report = Report::new(vec![
            judged("one", Score::new(0.5).with_status(EvalStatus::Pass)),
            judged("two", Score::passed(false).with_reasoning("too\nshort")),
            judged("three", Score::failed("no reference")),
            CaseReport::with_error(
                "four".into(),
                DataPoint::new(1),
                &genkit_core::Error::not_found("gone"),
            ),
        ]);
        let table = "\
case     m           n
one      0.500 pass  x
two      false FAIL  x
three    error       x
four     -           -
average  0.250       -
two m: too short
three m: no reference
four failed: gone
";
        assert_eq!(report.to_string(), table);
    }
}
