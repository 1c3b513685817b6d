//! What `#[tool]` has of its own: hints that contradict each other.

use crate::error::Errors;
use crate::parse::Options;

/// Refuses the second of two hints that cannot both be true.
pub(super) fn check(options: &Options, errors: &mut Errors) {
    let mut hints = options.flags().filter(|key| *key == "read_only" || *key == "destructive");
    if let (Some(first), Some(second)) = (hints.next(), hints.next()) {
        errors.at(
            second,
            format_args!(
                "a tool cannot be both `{first}` and `{second}`: what changes nothing destroys nothing"
            ),
            "keep the one that is true",
        );
    }
}
