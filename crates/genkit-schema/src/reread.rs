//! Strings that hold JSON, read once more in their places.

use serde_json::Value;

/// How deep a value may nest, what was a string in it included. Default is 128, as deep as JSON is read.
const MAX_NESTING: usize = 128;

/// The JSON that a string holds, if with its place that is no deeper than JSON that is read: it can be dropped and read
/// without an end of the stack.
pub fn held(text: &str, place: usize) -> Option<Value> {
    let inner: Value = serde_json::from_str(text).ok()?;
    (place + depth(&inner) <= MAX_NESTING).then_some(inner)
}

/// How many levels a value has; JSON that was read has few, so this may recurse.
fn depth(value: &Value) -> usize {
    let inside = match value {
        Value::Array(items) => items.iter().map(depth).max(),
        Value::Object(members) => members.values().map(depth).max(),
        _ => return 0,
    };
    1 + inside.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::held;

    #[test]
    fn what_nests_too_deep_with_its_place_stays_text() {
        let nested = format!("{}{}", "[".repeat(100), "]".repeat(100));
        assert!(held(&nested, 28).is_some());
        assert!(held(&nested, 29).is_none());
        assert!(held("no JSON", 0).is_none());
    }
}
