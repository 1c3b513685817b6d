//! Without the feature `dev-tools` nobody exports.

use super::record::SpanRecord;

/// Whether somebody exports spans.
pub(crate) const fn is_on() -> bool {
    false
}

/// Waits until what ended is sent.
pub(crate) async fn flush() {}

pub(super) fn started(_: impl FnOnce() -> SpanRecord) {}

pub(super) fn ended(_: impl FnOnce() -> SpanRecord) {}
