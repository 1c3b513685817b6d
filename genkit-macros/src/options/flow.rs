//! Options that only `#[flow]` has: none so far.

use super::spec::OptionSpec;

pub(super) const OPTIONS: &[OptionSpec] = &[];
