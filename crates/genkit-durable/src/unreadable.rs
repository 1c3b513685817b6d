//! Entries of a store that cannot be read. They must not affect other entries.

use std::collections::HashMap;
use std::sync::Mutex;

use genkit_core::internal::sync::lock;
use genkit_core::internal::visible::Logged;
use genkit_core::{Error, ErrorKind, Result, RunId};

/// The maximum number of entries that are remembered as reported. Default is 1,000; beyond it, all are forgotten and
/// reported again.
const MAX_REPORTED: usize = 1_000;

/// The entries of a store that were skipped, which are logged once for each reason.
#[derive(Default)]
pub struct SkippedRuns(Mutex<HashMap<RunId, String>>);

impl SkippedRuns {
    /// Returns the result of reading an entry. If the entry cannot be read, logs a warning and returns `None`.
    ///
    /// # Errors
    /// Returns an error if the store itself is not available.
    pub fn skip_unreadable<T>(&self, run: &RunId, read: Result<T>) -> Result<Option<T>> {
        match read {
            Ok(read) => Ok(Some(read)),
            Err(error) if error.kind() == ErrorKind::Unavailable => Err(error),
            Err(error) => {
                self.report_once(run, &error);
                Ok(None)
            }
        }
    }

    fn report_once(&self, run: &RunId, error: &Error) {
        let text = error.chain();
        let mut reported = lock(&self.0);
        if reported.get(run) == Some(&text) {
            return;
        }
        tracing::warn!(
            %run,
            error = %Logged::text(&text),
            "skipping an entry of a store that cannot be read; restore it, delete it with `Runs::delete`, or upgrade this program if a newer version wrote it"
        );
        if reported.len() >= MAX_REPORTED {
            reported.clear();
        }
        reported.insert(run.clone(), text);
    }
}
