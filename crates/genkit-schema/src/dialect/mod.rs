//! Dialects of JSON Schema: what a provider needs to convert an exact schema into the one that it reads.

mod cache;
mod keywords;

pub use cache::Dialect;
pub(super) use cache::DialectCache;
pub use keywords::{choice, fixed_values, merged, resolve, tuple_items, types};
