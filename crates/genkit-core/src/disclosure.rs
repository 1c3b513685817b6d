//! Error disclosure: selects the part of an error that the callers of a server receive, and logs the full error.

use crate::error::{Error, new_reference};
use genkit_untrusted::visible::Logged;

/// Converts an error of `action` into an error that callers may read: only text that was written for callers, unless
/// the server `exposes_errors`. Logs the full error with a reference that the caller receives as well.
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
    let reference = new_reference();
    tracing::warn!(
        action = %Logged::name(action), ?kind, error = %Logged::text(&full), %reference,
        "a function failed; the cause was not sent to the client"
    );
    let shown = match text {
        Some(text) => format!("{text} (reference {reference})"),
        None => {
            format!("`{action}` failed; the cause is in the server's log (reference {reference})")
        }
    };
    error.without_causes(shown)
}
