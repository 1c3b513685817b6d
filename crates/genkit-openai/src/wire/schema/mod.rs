//! Strict schemas of OpenAI: every object is closed, and every property is required.

mod keywords;
mod nullable;
mod rewriter;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Mutex;

use serde_json::{Map, Value};

use genkit_core::internal::sync::lock;
use genkit_schema::Schema;
use genkit_schema::internal::dialect::{find_choice, listed_types};
use genkit_schema::internal::{Dialect, pointer};
use keywords::DEFINITIONS;
use rewriter::{StrictRewriter, unsupported_part};

/// The dialect of strict mode.
struct StrictDialect;

impl Dialect for StrictDialect {
    fn convert_schema(exact: &Value, owner: &str) -> Option<Value> {
        let warn = |reason: &String| {
            if is_news(owner, reason) {
                tracing::warn!(
                    "the schema of `{owner}` is sent unchanged and without strict mode, so the \
                     model may deviate from it: {reason}; remove this from the type, or turn strict \
                     mode off with `.strict_tools(false)` or `.strict_output(false)` of `OpenAi::builder()` or \
                     `OpenAiResponses::builder()`, depending on the provider"
                );
            }
        };
        openai_strict(exact).inspect_err(warn).ok()
    }
}

/// The number of warnings to remember. Default is 1,000; after that, all are forgotten and logged
/// again.
const MAX_TOLD: usize = 1_000;

/// Whether this warning has not been logged yet, because the same schema is used in many runs.
fn is_news(owner: &str, reason: &str) -> bool {
    static TOLD: Mutex<BTreeSet<(String, String)>> = Mutex::new(BTreeSet::new());
    let mut told = lock(&TOLD);
    if told.len() == MAX_TOLD {
        told.clear();
    }
    told.insert((owner.to_owned(), reason.to_owned()))
}

/// Returns the schema in strict form, if strict mode `is_on` and supports it.
pub(crate) fn strict_schema<'a>(schema: &'a Schema, owner: &str, is_on: bool) -> Option<&'a Value> {
    if is_on { schema.dialect::<StrictDialect>(owner) } else { None }
}

/// Returns the strict form of an exact schema. The error describes the first part that strict
/// schemas do not support.
///
/// An optional property becomes a nullable one. Defaults and examples are added to the description.
/// Nothing else is lost: if a schema uses another keyword that strict mode does not support, the
/// schema is sent unchanged.
fn openai_strict(exact: &Value) -> Result<Value, String> {
    let mut rewriter = StrictRewriter::new(exact);
    let Value::Object(root) = exact else {
        return Err(unsupported_part("", "not the schema of an object"));
    };
    if listed_types(root) != ["object"] || find_choice(root).is_some() || root.contains_key("$ref")
    {
        return Err(unsupported_part(
            "",
            "the root must be an object, not a choice or a reference",
        ));
    }
    let mut strict = rewriter.rewrite_map(root, "")?;
    for key in DEFINITIONS {
        let Some(Value::Object(exact)) = root.get(key) else {
            continue;
        };
        let at = pointer::child("", key);
        let mut definitions = Map::new();
        for (name, schema) in exact {
            let schema = rewriter.rewrite_schema(schema, &pointer::child(&at, name))?;
            definitions.insert(name.clone(), schema);
        }
        strict.insert(key.to_owned(), Value::Object(definitions));
    }
    Ok(Value::Object(strict))
}
