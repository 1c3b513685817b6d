//! The options that only `#[flow]` has: none yet.

use super::spec::OptionSpec;

pub(super) const OPTIONS: &[OptionSpec] = &[];
