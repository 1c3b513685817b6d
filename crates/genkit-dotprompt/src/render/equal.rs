//! Comparison of values.

use serde_json::Value;

use super::value::Val;

/// Compares like `===`: text, numbers and booleans by value, maps and lists by identity. `null` differs from a missing
/// value.
pub(super) fn are_equal(a: &Val<'_>, b: &Val<'_>) -> bool {
    if let (Some(a), Some(b)) = (a.as_text(), b.as_text()) {
        return a == b;
    }
    match (a, b) {
        (Val::Missing, Val::Missing) => return true,
        (Val::Missing, _) | (_, Val::Missing) => return false,
        _ => {}
    }
    if let (Some(a), Some(b)) = (a.as_map(), b.as_map()) {
        return std::ptr::eq(a, b);
    }
    match (a.as_value(), b.as_value()) {
        (Some(Value::Array(a)), Some(Value::Array(b))) => std::ptr::eq(a, b),
        (Some(Value::Number(a)), Some(Value::Number(b))) => {
            a == b || (a.is_f64() || b.is_f64()) && a.as_f64() == b.as_f64()
        }
        (Some(Value::Bool(a)), Some(Value::Bool(b))) => a == b,
        (Some(Value::Null), Some(Value::Null)) => true,
        _ => false,
    }
}

/// Returns the number of bytes that comparing two values reads.
pub(super) fn compared_bytes(a: &Val<'_>, b: &Val<'_>) -> usize {
    match (a.as_text(), b.as_text()) {
        (Some(a), Some(b)) if a.len() == b.len() => a.len(),
        _ => 0,
    }
}

/// Returns whether a block with the value `b`, inside a block with the value `a`, keeps the same `this`.
pub(super) fn is_same_this(a: &Val<'_>, b: &Val<'_>) -> bool {
    are_equal(a, b) || a.is_missing_or_null() && b.is_missing_or_null()
}
