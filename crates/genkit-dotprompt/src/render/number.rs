//! Numbers, printed as in the reference implementation.

use serde_json::Number;

/// Formats a number like `3`, `0.5` or `1e+21`: whole numbers have no `.0`.
pub(super) fn format_number(number: &Number) -> String {
    match number.as_f64() {
        Some(float) if number.is_f64() => float_text(float),
        _ => number.to_string(),
    }
}

fn float_text(number: f64) -> String {
    let size = number.abs();
    if number == 0.0 {
        return "0".to_owned();
    }
    if (1e-6..1e21).contains(&size) {
        return number.to_string();
    }
    let text = format!("{number:e}");
    match text.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_like_the_reference() {
        for (number, expected) in [
            (3.0, "3"),
            (0.5, "0.5"),
            (-0.0, "0"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (1.5e300, "1.5e+300"),
            (0.000001, "0.000001"),
            (1.5e-7, "1.5e-7"),
            (-2.25, "-2.25"),
        ] {
            assert_eq!(format_number(&Number::from_f64(number).unwrap()), expected);
        }
        assert_eq!(format_number(&u64::MAX.into()), "18446744073709551615");
    }
}
