//! Dialects of JSON Schema: helpers for converting an exact schema into the dialect of a provider.

mod cache;
mod keywords;
pub(crate) mod object_root;
pub(crate) mod position;
pub(crate) mod property_names;
mod strict;
pub(crate) mod validated;

pub(super) use cache::DialectCache;
pub use cache::{Dialect, RepairedDialect, ToolInput};
pub use keywords::{
    find_choice, fixed_values, listed_types, merge_schemas, resolve_reference, tuple_items,
};
pub use strict::{
    StrictDialectRewriter, TraversalLimits, check_required, is_definition, rewrite_list,
    rewrite_named, unsupported_part,
};
