//! Displays a report as a table, and as the message of a failing test.

use std::fmt;

use super::report::{CaseReport, Report};
use super::table;

impl Report {
    /// Asserts that all rows pass.
    ///
    /// # Panics
    /// Panics with a table of the failed rows if any row fails.
    #[track_caller]
    pub fn assert_all_pass(&self) {
        assert!(
            self.all_pass(),
            "{} of {} cases failed:\n{}",
            self.failures().count(),
            self.cases().len(),
            table::format_report(self, |case| case.is_failure()),
        );
    }

    /// Asserts that the average of `metric` is at least `least`, and that every row has a score for it.
    ///
    /// ```
    /// use genkit::evaluate::{DataPoint, evaluate, metrics};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let data = ["a", "b"].map(|text| DataPoint::new("q").with_output("a").with_reference(text));
    /// evaluate(data).with(metrics::regex()).await?.assert_average("genkitEval/regex", 0.5);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    /// Panics with the table of the report if the assertion fails.
    #[track_caller]
    pub fn assert_average(&self, metric: &str, least: f64) {
        let has_one = |case: &CaseReport| {
            case.scores()
                .iter()
                .any(|score| score.metric() == metric && score.score().as_f64().is_some())
        };
        let lacking = self.cases().iter().filter(|case| !has_one(case)).count();
        let average = self.average(metric);
        assert!(
            lacking == 0 && average.is_some_and(|average| average >= least),
            "the average of `{metric}` is {average:?}, expected at least {least}; {lacking} of {} cases \
             have no score for it:\n{self}",
            self.cases().len(),
        );
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&table::format_report(self, |_| true))
    }
}
