//! Dialects of JSON Schema: helpers for converting an exact schema into the dialect of a provider.

mod cache;
mod keywords;

pub use cache::Dialect;
pub(super) use cache::DialectCache;
pub use keywords::{
    find_choice, fixed_values, listed_types, merge_schemas, resolve_reference, tuple_items,
};
