//! Dialects of JSON Schema: helpers for converting an exact schema into the dialect of a provider.

mod cache;
mod keywords;

pub use cache::Dialect;
pub(super) use cache::DialectCache;
pub use keywords::{choice, fixed_values, merged, resolve, tuple_items, types};
