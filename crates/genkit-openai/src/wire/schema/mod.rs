//! Strict schemas of OpenAI: each object is closed, and each of its properties is always there.

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
use genkit_schema::internal::dialect::{choice, types};
use genkit_schema::internal::{Dialect, pointer};
use keywords::DEFINITIONS;
use rewriter::{StrictRewriter, unsupported};

/// The dialect of strict mode.
struct StrictDialect;

impl Dialect for StrictDialect {
    fn convert(exact: &Value, owner: &str) -> Option<Value> {
        let warn = |reason: &String| {
            if is_news(owner, reason) {
                tracing::warn!(
                    "the schema of `{owner}` is sent as it is and without strict mode, so that the \
                     model may not keep to it: {reason}; leave that out of the type, or turn strict \
                     mode off with `.strict_tools(false)` or `.strict_output(false)` of `OpenAi::builder()` or \
                     `OpenAiResponses::builder()`, whichever the model is of"
                );
            }
        };
        openai_strict(exact).inspect_err(warn).ok()
    }
}

/// How many reasons are remembered as told. Default is 1,000; then all are told anew.
const MAX_TOLD: usize = 1_000;

/// Whether nobody was told yet: the same output is asked for in run after run.
fn is_news(owner: &str, reason: &str) -> bool {
    static TOLD: Mutex<BTreeSet<(String, String)>> = Mutex::new(BTreeSet::new());
    let mut told = lock(&TOLD);
    if told.len() == MAX_TOLD {
        told.clear();
    }
    told.insert((owner.to_owned(), reason.to_owned()))
}

/// The schema as strict mode has it, where that `is_on` and can express it.
pub(crate) fn strict<'a>(schema: &'a Schema, owner: &str, is_on: bool) -> Option<&'a Value> {
    if is_on { schema.dialect::<StrictDialect>(owner) } else { None }
}

/// The strict form of an exact schema, or the first place that strict schemas cannot describe, and why.
///
/// A property that may be left out becomes one that may be null. Defaults and examples are said in the description.
/// Nothing else is lost: a keyword that strict mode does not have is a reason for the plain schema.
fn openai_strict(exact: &Value) -> Result<Value, String> {
    let mut rewriter = StrictRewriter::new(exact);
    let Value::Object(root) = exact else {
        return Err(unsupported("", "this is not the schema of an object"));
    };
    if types(root) != ["object"] || choice(root).is_some() || root.contains_key("$ref") {
        return Err(unsupported("", "the whole must be an object, and no choice or reference"));
    }
    let mut strict = rewriter.map(root, "")?;
    for key in DEFINITIONS {
        let Some(Value::Object(exact)) = root.get(key) else {
            continue;
        };
        let at = pointer::child("", key);
        let mut definitions = Map::new();
        for (name, schema) in exact {
            let schema = rewriter.schema(schema, &pointer::child(&at, name))?;
            definitions.insert(name.clone(), schema);
        }
        strict.insert(key.to_owned(), Value::Object(definitions));
    }
    Ok(Value::Object(strict))
}
