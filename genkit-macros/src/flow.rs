//! What `#[flow]` has of its own: nothing yet.

use crate::options::Spec;

pub(crate) const OPTIONS: &[Spec] = &[];
