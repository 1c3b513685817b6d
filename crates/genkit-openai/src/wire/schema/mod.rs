//! Strict schemas of OpenAI: every object is closed, and every property is required.

mod keywords;
mod nullable;
mod rewriter;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Mutex;

use serde_json::Value;

use genkit_core::internal::sync::lock;
use genkit_schema::Schema;
use genkit_schema::internal::dialect::{
    StrictDialectRewriter as _, find_choice, listed_types, rewrite_named, unsupported_part,
};
use genkit_schema::internal::{Dialect, RepairedDialect, ToolInput, pointer, to_validated};
use keywords::DEFINITIONS;
use rewriter::StrictRewriter;

/// The dialect of strict mode.
struct StrictDialect;

impl Dialect for StrictDialect {
    fn convert_schema(exact: &Value, owner: &str) -> Option<Value> {
        let warn = |reason: &String| {
            if should_warn(owner, reason) {
                tracing::warn!(
                    "the schema of `{owner}` is sent without strict mode, so the \
                     model may deviate from it: {reason}; change the type, or turn strict \
                     mode off with `.strict_tools(false)` or `.strict_output(false)` of `OpenAi::builder()` or \
                     `OpenAiResponses::builder()`, depending on the provider"
                );
            }
        };
        openai_strict(exact).map(|strict| to_validated(&strict)).inspect_err(warn).ok()
    }
}

/// The number of warnings to remember. Default is 1,000; after that, all are forgotten and logged
/// again.
const MAX_WARNINGS: usize = 1_000;

/// Returns whether this warning has not been logged yet. The same schema is used in many runs.
fn should_warn(owner: &str, reason: &str) -> bool {
    static TOLD: Mutex<BTreeSet<(String, String)>> = Mutex::new(BTreeSet::new());
    let mut told = lock(&TOLD);
    if told.len() == MAX_WARNINGS {
        told.clear();
    }
    told.insert((owner.to_owned(), reason.to_owned()))
}

/// Returns the strict form of the schema, if strict mode `is_on` and supports the schema.
pub(crate) fn strict_schema<'a>(schema: &'a Schema, owner: &str, is_on: bool) -> Option<&'a Value> {
    if is_on { schema.dialect::<StrictDialect>(owner) } else { None }
}

/// Returns the schema of a tool's arguments, and whether it is strict.
pub(crate) fn tool_schema<'a>(schema: &'a Schema, owner: &str, strict: bool) -> (&'a Value, bool) {
    match strict_schema(schema, owner, strict) {
        Some(strict) => (strict, true),
        None => {
            let lenient = schema.dialect::<ToolInput<RepairedDialect>>(owner);
            (lenient.unwrap_or(schema), false)
        }
    }
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
    let refused = ["$ref", "const", "enum"].iter().any(|keyword| root.contains_key(*keyword));
    if listed_types(root) != ["object"] || find_choice(root).is_some() || refused {
        return Err(unsupported_part(
            "",
            "the root must be an object, not a choice, a reference or a list of values",
        ));
    }
    let mut strict = rewriter.rewrite_map(root, "")?;
    for key in DEFINITIONS {
        if root.get(key).is_some_and(Value::is_object) {
            let at = pointer::child("", key);
            let definitions = rewrite_named(root.get(key), &at, |_, exact, at| {
                rewriter.rewrite_schema(exact, at)
            })?;
            strict.insert(key.to_owned(), Value::Object(definitions));
        }
    }
    Ok(Value::Object(strict))
}
