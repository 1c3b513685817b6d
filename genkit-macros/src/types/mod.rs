//! Syntactic checks of a type. Everything else is left to traits.

mod ownership;
mod shape;
mod spelling;

pub(crate) use ownership::{
    check_owned, check_return_type, injected_type, is_borrowing, is_unsized,
};
pub(crate) use shape::{
    is_plain, is_primitive, is_unit, is_word, result_spans, result_value, strip_groups, type_span,
};
pub(crate) use spelling::format_type;
