//! JSON Schema of Rust types: the exact schema, the portable schema, and checks against both.

#![allow(
    missing_docs,
    reason = "items that `genkit` re-exports are documented, which a test of `genkit` checks; the rest is internal to the workspace"
)]

mod bounded_json;
mod bounds;
mod check;
pub(crate) mod conversion;
mod derive;
pub(crate) mod dialect;
mod error;
mod form;
#[doc(hidden)]
pub mod internal;
mod json;
mod lenient_json;
mod nulls;
pub(crate) mod partial_json;
mod placed;
mod portable;
mod properties;
mod repair;
mod result_shape;
mod retry_parse;
mod schemas;
mod shared;
mod strictness;
mod truncate;

#[cfg(any(test, feature = "testing"))]
pub(crate) mod testing;

pub(crate) use portable::portable;
pub use schemas::OutputSchema;
pub use shared::Schema;
