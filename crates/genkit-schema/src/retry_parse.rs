//! Parsing of strings that contain JSON.

use serde_json::Value;

use crate::bounded_json::{ValueBudget, parse_within};

/// The maximum nesting of a value, including the content of parsed strings. Default is 128, the limit of the JSON
/// parser.
const MAX_NESTING: usize = 128;

/// Parses the JSON in a string, if the total nesting including its position is within the limit. A deeper value could
/// overflow the stack when it is dropped or read. All strings of a call share a budget, because they were counted as
/// strings when the call was parsed.
pub fn parse_embedded_json(text: &str, place: usize, budget: &ValueBudget) -> Option<Value> {
    let inner = parse_within(text.as_bytes(), budget).ok()?;
    (place + nesting_depth(&inner) <= MAX_NESTING).then_some(inner)
}

/// Returns the nesting depth of a value. Parsed JSON is limited in depth, so this can recurse.
fn nesting_depth(value: &Value) -> usize {
    let inside = match value {
        Value::Array(items) => items.iter().map(nesting_depth).max(),
        Value::Object(members) => members.values().map(nesting_depth).max(),
        _ => return 0,
    };
    1 + inside.unwrap_or(0)
}
