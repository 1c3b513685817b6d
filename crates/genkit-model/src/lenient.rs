//! Fields that are read leniently: servers leave out, add and mistype them.

use serde::de::{Deserialize, Deserializer};
use serde_json::Value;

/// A text; anything else is none.
pub fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::String(text) => Some(text),
        _ => None,
    })
}

/// A number that counts something; anything else is none.
pub fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let number = Value::deserialize(deserializer)?;
    // Servers in dynamic languages write 12.0.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let rounded = || number.as_f64().filter(|number| *number >= 0.0).map(|number| number as u64);
    Ok(number.as_u64().or_else(rounded))
}

/// A text, or the text of whatever else stands there.
#[cfg(feature = "http")]
pub fn json_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(as_json_text(Value::deserialize(deserializer)?))
}

/// A text, or the JSON of whatever else it is.
#[cfg(feature = "http")]
pub fn as_json_text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
