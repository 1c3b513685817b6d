//! Disclosure: what of a failure the callers of a server read, and what the log alone has.

use crate::error::{Error, reference};
use crate::visible::Logged;

/// A failure of `action` as a caller may read it: in words that were written for callers, unless the
/// server `exposes_errors`. What is left out stands in the log, under a reference that the caller reads too.
pub fn for_callers(error: Error, action: &str, exposes_errors: bool) -> Error {
    let kind = error.kind();
    let full = error.chain();
    let text = error.text_for_callers();
    if exposes_errors || text == Some(&full) {
        tracing::info!(
            action = %Logged::name(action), ?kind, error = %Logged::text(&full), "a function failed"
        );
        return error;
    }
    let reference = reference();
    tracing::warn!(
        action = %Logged::name(action), ?kind, error = %Logged::text(&full), %reference,
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
