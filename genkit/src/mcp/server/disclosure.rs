//! Disclosure: what of a failure a client reads, and what the log alone has.

use super::state::SharedState;
use crate::error::{Error, reference};

impl SharedState {
    /// A failure of `action` as a client may read it: in words that were written for callers. What is
    /// left out stands in the log, under a reference that the client reads too.
    pub(crate) fn for_client(&self, error: Error, action: &str) -> Error {
        let kind = error.kind();
        let full = error.chain();
        let text = error.text_for_callers();
        if self.exposes_errors || text == Some(&full) {
            tracing::info!(action, ?kind, error = %full, "a function failed");
            return error;
        }
        let reference = reference();
        tracing::warn!(
            action, ?kind, error = %full, %reference,
            "a function failed, and the client was not shown why"
        );
        let shown = match text {
            Some(text) => format!("{text} (reference {reference})"),
            None => format!(
                "`{action}` failed, and why is not for its callers: the log of the server says it \
                 (reference {reference})"
            ),
        };
        error.without_causes(shown)
    }
}
