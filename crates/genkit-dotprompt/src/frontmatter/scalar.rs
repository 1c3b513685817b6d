//! Plain scalars in the core schema of YAML 1.2.

use serde_json::{Number, Value};

/// Returns the value of a scalar without quotes and tag, or `None` if JSON cannot represent it (`.inf`, `.nan`).
pub(crate) fn parse_scalar(text: &str) -> Option<Value> {
    let Some(first) = text.bytes().next() else { return Some(Value::Null) };
    match first {
        b'n' | b'N' | b'~' if matches!(text, "null" | "Null" | "NULL" | "~") => Some(Value::Null),
        b't' | b'T' if matches!(text, "true" | "True" | "TRUE") => Some(Value::Bool(true)),
        b'f' | b'F' if matches!(text, "false" | "False" | "FALSE") => Some(Value::Bool(false)),
        b'0'..=b'9' | b'-' | b'+' | b'.' => parse_number(text),
        _ => Some(Value::String(text.to_owned())),
    }
}

fn parse_number(text: &str) -> Option<Value> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return None;
    }
    let number = if let Some(digits) = text.strip_prefix("0o") {
        parse_radix(digits, 8)
    } else if let Some(digits) = text.strip_prefix("0x") {
        parse_radix(digits, 16)
    } else {
        parse_decimal(text, unsigned)?
    };
    Some(number.map_or_else(|| Value::String(text.to_owned()), Value::Number))
}

fn parse_radix(digits: &str, radix: u32) -> Option<Number> {
    let all = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    all.then(|| u64::from_str_radix(digits, radix).ok().map(Number::from)).flatten()
}

/// Parses a decimal number. The outer `None` means that the number is too large for JSON, and the inner `None` that the
/// text is not a number.
fn parse_decimal(text: &str, unsigned: &str) -> Option<Option<Number>> {
    let digits = |part: &str| part.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(unsigned);
    let rest = &unsigned[whole..];
    if rest.is_empty() && whole > 0 {
        let plain = text.strip_prefix('+').unwrap_or(text);
        if let Ok(number) = plain.parse::<i64>() {
            return Some(Some(number.into()));
        }
        if let Ok(number) = plain.parse::<u64>() {
            return Some(Some(number.into()));
        }
        return parse_float(text);
    }
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(rest) => (digits(rest), &rest[digits(rest)..]),
        None => (0, rest),
    };
    if whole + fraction == 0 {
        return Some(None);
    }
    if rest.is_empty() {
        return parse_float(text);
    }
    let Some(exponent) = rest.strip_prefix(['e', 'E']) else { return Some(None) };
    let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    if exponent.is_empty() || digits(exponent) < exponent.len() {
        return Some(None);
    }
    parse_float(text)
}

fn parse_float(text: &str) -> Option<Option<Number>> {
    let number: f64 = text.parse().ok()?;
    Number::from_f64(number).map(Some)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reads_the_core_schema_and_nothing_more() {
        for (text, value) in [
            ("", json!(null)),
            ("~", json!(null)),
            ("Null", json!(null)),
            ("nULL", json!("nULL")),
            ("True", json!(true)),
            ("FALSE", json!(false)),
            ("yes", json!("yes")),
            ("on", json!("on")),
            ("12:30", json!("12:30")),
            ("1_000", json!("1_000")),
            ("2026-08-19", json!("2026-08-19")),
            ("0o17", json!(15)),
            ("0o18", json!("0o18")),
            ("017", json!(17)),
            ("0xfF", json!(255)),
            ("-0x1", json!("-0x1")),
            ("+5", json!(5)),
            ("-5", json!(-5)),
            ("-", json!("-")),
            (".", json!(".")),
            ("1.", json!(1.0)),
            (".5", json!(0.5)),
            ("-1.5e-3", json!(-0.0015)),
            ("1e3", json!(1000.0)),
            ("1e", json!("1e")),
            ("1.2.3", json!("1.2.3")),
            ("18446744073709551615", json!(u64::MAX)),
            ("18446744073709551616", json!(18446744073709551616.0)),
            (".infinity", json!(".infinity")),
            ("null and void", json!("null and void")),
        ] {
            assert_eq!(parse_scalar(text), Some(value), "{text}");
        }
        for text in [".inf", "-.Inf", "+.INF", ".nan", "1e999"] {
            assert_eq!(parse_scalar(text), None, "{text}");
        }
    }
}
