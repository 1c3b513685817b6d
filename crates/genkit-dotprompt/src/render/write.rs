//! Conversion of values to text.

use serde_json::Value;

use super::value::Val;
use super::{json, number};
use crate::error_kind::ErrorKind;

/// Writes a value as `{{value}}` does: text verbatim, maps and lists as JSON, nothing for `null` and missing values.
pub(super) fn display_text(value: &Val<'_>, limit: usize) -> Result<String, ErrorKind> {
    if let Some(text) = value.as_text() {
        return Ok(text.to_owned());
    }
    match (value, value.as_value()) {
        (Val::Missing, _) | (_, Some(Value::Null)) => Ok(String::new()),
        (_, Some(Value::Bool(value))) => Ok(value.to_string()),
        (_, Some(Value::Number(number))) => Ok(number::format_number(number)),
        _ => json::write_json(value, "", limit),
    }
}

/// Returns the indentation per level: a number of spaces, or a string. As in the reference
/// implementation, it is limited to 10 characters.
pub(super) fn json_indent(value: &Val<'_>) -> Result<String, ErrorKind> {
    const MOST: usize = 10;
    if value.is_missing_or_null() {
        return Ok(String::new());
    }
    if let Some(text) = value.as_text() {
        return Ok(text.chars().take(MOST).collect());
    }
    let number = value.as_value().and_then(Value::as_f64).ok_or(ErrorKind::JsonIndent)?;
    Ok(" ".repeat(number.clamp(0.0, MOST as f64) as usize))
}
