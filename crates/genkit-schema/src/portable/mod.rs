//! The schema that a client gets of which nothing is known.
//!
//! schemars writes exact schemas of draft 2020-12. Many clients read less than that: they follow no `$ref`, want one
//! `type` at each place, or refuse a `format` that they do not know. [`portable`] rewrites an exact schema into
//! what all of them read: valid as draft 7 and as draft 2020-12, also where ajv is strict.
//!
//! | exact | portable |
//! |---|---|
//! | `$ref` | what it names, inlined; keywords beside it win. A reference into itself is cut to a permissive schema |
//! | `T` or null | `T` where the property may be left out, else `anyOf` of `T` and null |
//! | `oneOf` of documented constants | `enum`, with the text of each value in the description |
//! | `oneOf` | `anyOf` |
//! | `const` | `enum` of one value |
//! | `enum` without `type` | with the type of its values |
//! | `prefixItems` | `items`, with the order in the description |
//! | `type` of several | `anyOf` |
//! | `format` outside of both drafts | nothing; bounds stay |
//! | `true`, `false` as a schema | `{}`, `{"not": {}}` |
//! | `unevaluatedProperties` | `additionalProperties` where that means the same |
//! | newer and unknown keywords | nothing, and a note |
//! | `x-…` and all that both drafts know | itself |
//!
//! Arguments are narrowed at most (a client that obeys the portable schema is understood), results are widened at
//! most (what serde writes is accepted). That is why null stays in a property that is always there.

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

use super::conversion::{Degraded, MAX_DEPTH, MAX_NODES};
use rewriter::PortableRewriter;

/// How many references inside each other are tried, in this order, for a schema above [`MAX_NODES`].
const FALLBACK_REFERENCES: [usize; 7] = [8, 6, 5, 4, 3, 2, 1];

/// A portable schema, and what it cannot express.
#[derive(Debug, Clone, PartialEq)]
pub struct Portable {
    /// The schema itself.
    pub schema: Value,
    /// What was lost, by pointer.
    pub degraded: Vec<Degraded>,
}

/// Rewrites an exact schema (a root schema of schemars, for arguments or for a result) so that any client can read it.
pub fn portable(exact: &Value) -> Portable {
    let mut limits = std::iter::once(MAX_DEPTH).chain(FALLBACK_REFERENCES);
    let fitting = limits.find_map(|references| attempt(exact, references, MAX_NODES));
    // Without references the size is that of the exact schema, so there is nothing to limit.
    fitting
        .or_else(|| attempt(exact, 0, usize::MAX))
        .unwrap_or_else(|| Portable { schema: Value::Object(Map::new()), degraded: Vec::new() })
}

/// One try with a limit on references inside each other; nothing if it has too many nodes.
fn attempt(exact: &Value, max_references: usize, max_nodes: usize) -> Option<Portable> {
    let mut rewriter = PortableRewriter::new(exact, max_references, max_nodes);
    let schema = rewriter.root();
    let degraded = rewriter.finish()?;
    Some(Portable { schema, degraded })
}
