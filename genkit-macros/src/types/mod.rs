//! What can be determined about a type from its spelling alone. Everything else is left to traits.

mod ownership;
mod shape;
mod spelling;

pub(crate) use ownership::{borrows, injected, owned, returned};
pub(crate) use shape::{bare, is_plain, is_primitive, is_unit, is_word, place, result_places};
pub(crate) use spelling::written;
