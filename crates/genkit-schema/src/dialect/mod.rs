//! Dialects of JSON Schema: helpers for converting an exact schema into the dialect of a provider.
//!
//! A receiver that rejects one schema rejects the whole list of tools. Schemas are therefore rewritten before tools are
//! sent:
//!
//! | receiver | rejects | receives |
//! |---|---|---|
//! | every provider | a choice, a condition or a reference at the root | the combined properties of all branches, with a description of the properties that belong together |
//! | every provider | unknown keywords and formats, keywords without a type, a list of types, open tuples | the known keywords with their type, a choice of types, tuples of fixed length |
//! | Anthropic, Gemini, OpenAI | names such as `$top`, `filter[status]` or `@odata.type` | another name in the schema and in the history; calls in a response get the original name again |
//! | OpenAI in strict mode | optional properties, and keywords that it does not enforce | nullable properties; a schema with other keywords is sent without `strict` |
//! | Gemini's `parameters`, for older models | `$ref`, `oneOf`, `const` and other keywords that OpenAPI 3.0 lacks | references inlined, choices as `anyOf`, constants as `enum` |
//! | Ollama | `true` as a schema; it ignores `$ref`, `oneOf`, `const` | references inlined, choices as `anyOf`, constants as `enum` |
//! | MCP clients | results that are not objects, in protocols before 2026-07-28; some clients fail on `$ref`, `oneOf` and new formats | the portable schema, and results wrapped as `{"result": ..}` |

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
