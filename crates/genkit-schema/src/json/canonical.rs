//! Canonical JSON: a string that does not depend on the order of keys.

use std::fmt::Write as _;

use serde_json::Value;

/// Returns the canonical text of a value.
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            let mut members: Vec<(&String, &Value)> = map.iter().collect();
            members.sort_unstable_by_key(|(key, _)| *key);
            out.push('{');
            for (place, (key, value)) in members.into_iter().enumerate() {
                out.push_str(if place > 0 { "," } else { "" });
                // Writing into a `String` cannot fail.
                let _ = write!(out, "{key:?}:");
                write(value, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (place, item) in items.iter().enumerate() {
                out.push_str(if place > 0 { "," } else { "" });
                write(item, out);
            }
            out.push(']');
        }
        other => {
            let _ = write!(out, "{other}");
        }
    }
}
