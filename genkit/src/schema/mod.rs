//! From types to JSON Schema: the exact schema, the portable one, and checks against both.

mod apart;
mod bounds;
mod check;
pub(crate) mod conversion;
mod derive;
#[cfg(feature = "http-model")]
#[cfg_attr(
    not(any(feature = "gemini", feature = "openai")),
    allow(dead_code, unused_imports, reason = "other providers read less of a schema")
)]
pub(crate) mod dialect;
mod error;
mod form;
mod json_type;
mod nulls;
pub(crate) mod partial_json;
pub(crate) mod pointer;
mod portable;
mod properties;
mod reread;
#[cfg(feature = "mcp-server")]
mod result_shape;
mod schemas;
mod shared;
mod strictness;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use apart::{apart, is_large};
pub(crate) use bounds::{Bounds, Shape};
#[cfg(feature = "gemini")]
pub(crate) use conversion::Degraded;
#[cfg(any(feature = "anthropic", feature = "gemini", feature = "openai"))]
pub(crate) use conversion::MAX_DEPTH;
#[cfg(feature = "dotprompt")]
pub(crate) use derive::inlined_of;
pub(crate) use derive::{input_of, output_of};
#[cfg(feature = "http-model")]
pub(crate) use dialect::Dialect;
pub(crate) use form::form;
#[cfg(any(feature = "gemini", feature = "openai"))]
pub(crate) use json_type::types_of;
pub(crate) use nulls::drop_optional_nulls;
#[cfg(feature = "ollama")]
pub(crate) use portable::portable;
pub(crate) use properties::properties;
pub(crate) use reread::held;
#[cfg(feature = "mcp-server")]
pub(crate) use result_shape::ResultShape;
pub use schemas::OutputSchema;
pub(crate) use schemas::Schemas;
pub use shared::Schema;
pub(crate) use strictness::Strictness;
