//! Numbers in JavaScript notation.

use serde_json::{Number, Value};

/// Parses a number in JavaScript notation. NaN and infinity, which JSON cannot express, become null, as in
/// `JSON.stringify`.
pub(super) fn parse_number(text: &str) -> Option<Value> {
    if let Ok(value) = text.parse::<Number>() {
        return Some(Value::Number(value));
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_negative = text.starts_with('-');
    if matches!(unsigned, "Infinity" | "NaN") {
        return Some(Value::Null);
    }
    if let Some(digits) = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")) {
        if digits.starts_with('+') {
            return None;
        }
        let value = i128::from(u64::from_str_radix(digits, 16).ok()?);
        let value = if is_negative { -value } else { value };
        return Number::from_i128(value).map(Value::Number);
    }
    // Rust parses `.5`, `5.` and `+5` like JavaScript, but also names such as `inf`.
    if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let value = unsigned.parse::<f64>().ok()?;
    if let (true, Ok(whole)) = (!unsigned.contains(['.', 'e', 'E']), text.parse::<i64>()) {
        return Some(whole.into());
    }
    // A number that is too large is infinite.
    Some(
        Number::from_f64(if is_negative { -value } else { value })
            .map_or(Value::Null, Value::Number),
    )
}
