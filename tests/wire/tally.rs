//! Counts of the outcomes of the cases, by folder and provider.

use std::fmt::Write as _;

use genkit_tests::print_uncaptured;

use crate::cases::{BUILT, Case};

/// The outcomes of all cases, in the order in which they were run.
#[derive(Default)]
pub struct Tally {
    rows: Vec<Row>,
    failures: Vec<String>,
}

/// The cases of one provider in one folder.
#[derive(Default)]
struct Row {
    folder: String,
    provider: String,
    passed: usize,
    failed: usize,
    tolerated: usize,
    not_tolerated: usize,
}

impl Tally {
    fn row(&mut self, case: &Case) -> &mut Row {
        let (folder, provider) = (&case.folder, case.provider());
        let known = |row: &Row| row.folder == *folder && row.provider == provider;
        let at = self.rows.iter().position(known).unwrap_or_else(|| {
            let (folder, provider) = (folder.clone(), provider.to_owned());
            self.rows.push(Row { folder, provider, ..Row::default() });
            self.rows.len() - 1
        });
        &mut self.rows[at]
    }

    /// Records a case that was run.
    pub fn ran(&mut self, case: &Case, differences: &[String]) {
        let tolerance = case.json["tolerance"] == true;
        let row = self.row(case);
        let count = match (tolerance, differences.is_empty()) {
            (false, true) => &mut row.passed,
            (false, false) => &mut row.failed,
            (true, true) => &mut row.tolerated,
            (true, false) => &mut row.not_tolerated,
        };
        *count += 1;
        if !differences.is_empty() {
            let mark = if tolerance { " (tolerance)" } else { "" };
            self.failures.push(format!("{}{mark}\n    {}", case.name, differences.join("\n    ")));
        }
    }

    /// Prints a line for each provider of each folder, and fails if any case did.
    pub fn report(self, what: &str) {
        let mut lines = String::new();
        for row in &self.rows {
            let _ = writeln!(
                lines,
                "{what} in {}: {}: {} passed, {} failed; tolerance: {} passed, {} failed",
                row.folder, row.provider, row.passed, row.failed, row.tolerated, row.not_tolerated
            );
        }
        print_uncaptured(&lines);
        assert!(
            self.failures.is_empty(),
            "{} of the cases of {what} differ:\n  {}",
            self.failures.len(),
            self.failures.join("\n  ")
        );
        for provider in BUILT {
            let own = |row: &Row| row.folder.starts_with("tests/") && row.provider == provider;
            assert!(
                self.rows.iter().any(own),
                "{what}: there is no case of our own for {provider}"
            );
        }
    }
}
