//! Rules for `#[tool]` only: hints must not contradict each other.

use crate::error::Errors;
use crate::parse::Options;

/// Rejects the second of two hints that cannot both be true.
pub(super) fn check_hints(options: &Options, errors: &mut Errors) {
    let mut hints = options.flags().filter(|key| *key == "read_only" || *key == "destructive");
    if let (Some(first), Some(second)) = (hints.next(), hints.next()) {
        errors.add_at(
            second,
            format_args!(
                "a tool cannot be both `{first}` and `{second}`: a tool that changes nothing cannot destroy anything"
            ),
            "keep the one that is true",
        );
    }
}
