//! Lenient deserialization of fields, because servers omit, add and mistype them.

use serde::de::{Deserialize, Deserializer};
use serde_json::Value;

/// Deserializes a string; any other value becomes `None`.
pub fn deserialize_text<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::String(text) => Some(text),
        _ => None,
    })
}

/// Deserializes a count; any other value becomes `None`.
pub fn deserialize_count<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u64>, D::Error> {
    let number = Value::deserialize(deserializer)?;
    // Servers written in dynamic languages send 12.0.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let rounded = || number.as_f64().filter(|number| *number >= 0.0).map(|number| number as u64);
    Ok(number.as_u64().or_else(rounded))
}

/// Deserializes a string; null becomes an empty string, and any other value its JSON text.
pub fn json_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(as_json_text(Value::deserialize(deserializer)?))
}

/// Returns a string unchanged, an empty string for null, and any other value as JSON text.
pub fn as_json_text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
