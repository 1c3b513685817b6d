//! The portable schema, sent to clients with unknown capabilities.
//!
//! schemars writes exact schemas of draft 2020-12. Many clients support less: they do not resolve `$ref`, require a
//! single `type` at each position, or reject unknown values of `format`. [`portable`] rewrites an exact schema into a
//! schema that all of them accept: it is valid as draft 7 and as draft 2020-12, even in ajv's strict mode.
//!
//! | exact | portable |
//! |---|---|
//! | `$ref` | the inlined target; sibling keywords take precedence. A recursive reference becomes a permissive schema of the same type |
//! | `T` or null | `T` if the property is optional, else `anyOf` of `T` and null |
//! | `oneOf` of documented constants | `enum`, with the documentation of each value in the description |
//! | `oneOf` | `anyOf` |
//! | `const` | `enum` of one value |
//! | `enum` without `type` | `enum` with the type of its values |
//! | `prefixItems` | `items`, with the order in the description |
//! | `type` with several types | `anyOf` |
//! | `format` that is not in both drafts | removed; bounds are kept |
//! | `true`, `false` as a schema | `{}`, `{"not": {}}` |
//! | `unevaluatedProperties` | `additionalProperties` if that has the same meaning |
//! | newer and unknown keywords | removed, with a note |
//! | `x-…` and all keywords of both drafts | unchanged |
//!
//! Apart from reported losses, schemas of arguments are never widened: arguments that match the portable schema also
//! match the exact schema. Schemas of results are never narrowed: the output of serde always matches. Therefore, null
//! is kept in a property that is always present.

mod draft;
mod enums;
mod flat;
mod flatten;
mod items;
mod keywords;
mod object;
mod plain;
mod rewriter;
mod union;

#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

use super::conversion::{Loss, MAX_DEPTH, MAX_NODES};
use crate::dialect::position::Position;
use keywords::Class;
pub(crate) use keywords::{applicable_type, is_known_keyword};
use rewriter::PortableRewriter;

/// The limits on the nesting of references that are tried, in this order, for a schema above [`MAX_NODES`].
const FALLBACK_REFERENCES: [usize; 7] = [8, 6, 5, 4, 3, 2, 1];

/// A portable schema, and its losses.
#[derive(Debug, Clone, PartialEq)]
pub struct Portable {
    /// The schema.
    pub schema: Value,
    /// The losses, by pointer.
    pub degraded: Vec<Loss>,
}

/// Rewrites an exact schema (a root schema from schemars, for arguments or for a result) so that any client accepts it.
pub fn portable(exact: &Value) -> Portable {
    let mut limits = std::iter::once(MAX_DEPTH).chain(FALLBACK_REFERENCES);
    let fitting = limits.find_map(|references| try_rewrite(exact, references, MAX_NODES));
    // Without references, the portable schema is as large as the exact schema, so no limit is needed.
    fitting
        .or_else(|| try_rewrite(exact, 0, usize::MAX))
        .unwrap_or_else(|| Portable { schema: Value::Object(Map::new()), degraded: Vec::new() })
}

/// Returns whether every keyword of a repaired schema is in both drafts with the same meaning.
pub fn has_portable_keywords(schema: &Value) -> bool {
    let Value::Object(map) = schema else { return schema.is_boolean() };
    map.iter().all(|(keyword, value)| {
        let is_common = match keywords::keyword_class(keyword) {
            Class::Newer | Class::Unknown => false,
            Class::Ruled if keyword == "format" => {
                value.as_str().is_some_and(keywords::is_portable_format)
            }
            Class::Ruled => !matches!(
                keyword.as_str(),
                "prefixItems" | "unevaluatedProperties" | "unevaluatedItems"
            ),
            Class::Scaffold => matches!(keyword.as_str(), "$defs" | "definitions" | "$ref"),
            Class::Annotation | Class::Assertion | Class::Schema | Class::Schemas => true,
        };
        // Draft 7 ignores the siblings of a reference.
        let has_siblings = keyword == "$ref" && map.keys().any(|other| !is_annotation(other));
        is_common
            && !has_siblings
            && match (Position::of_keyword(keyword), value) {
                (Position::Schema, schema) => has_portable_keywords(schema),
                (Position::List, Value::Array(list)) => list.iter().all(has_portable_keywords),
                (Position::Named, Value::Object(named)) => {
                    named.values().all(has_portable_keywords)
                }
                _ => true,
            }
    })
}

fn is_annotation(keyword: &str) -> bool {
    matches!(keywords::keyword_class(keyword), Class::Annotation | Class::Scaffold)
}

/// Rewrites a schema with a limit on the nesting of references. Returns `None` if the result has too many nodes.
fn try_rewrite(exact: &Value, max_references: usize, max_nodes: usize) -> Option<Portable> {
    let mut rewriter = PortableRewriter::new(exact, max_references, max_nodes);
    let schema = rewriter.rewrite_root();
    let degraded = rewriter.into_losses()?;
    Some(Portable { schema, degraded })
}
