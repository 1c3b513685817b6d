//! JSON numbers with exact comparison, including integers that a float cannot represent.

use std::cmp::Ordering;

use serde_json::Number;

/// A number, as an integer if possible.
#[derive(Clone, Copy, Debug)]
pub(super) enum Num {
    Int(i128),
    Float(f64),
}

impl Num {
    pub(super) fn from_number(number: &Number) -> Option<Self> {
        let int = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
        int.map(Self::Int).or_else(|| number.as_f64().filter(|f| f.is_finite()).map(Self::Float))
    }

    pub(super) fn is_whole(self) -> bool {
        match self {
            Self::Int(_) => true,
            Self::Float(float) => float.fract() == 0.0,
        }
    }

    pub(super) fn compare_to(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => a.cmp(&b),
            (Self::Float(a), Self::Float(b)) => a.partial_cmp(&b).unwrap_or(Ordering::Equal),
            (Self::Int(a), Self::Float(b)) => compare_mixed(a, b),
            (Self::Float(a), Self::Int(b)) => compare_mixed(b, a).reverse(),
        }
    }

    /// Returns whether this is a multiple of `step`, by decimal digits: 0.3 is a multiple of 0.1.
    pub(super) fn is_multiple_of(self, step: Self) -> bool {
        if let (Self::Int(a), Self::Int(b)) = (self, step) {
            return a % b == 0;
        }
        let (Some(a), Some(b)) = (self.as_decimal(), step.as_decimal()) else { return false };
        let exponent = a.1.min(b.1);
        match (scale_digits(a, exponent), scale_digits(b, exponent)) {
            (Some(a), Some(b)) => a % b == 0,
            // The exponents are too far apart for integers.
            _ => (self.as_float() % step.as_float()) == 0.0,
        }
    }

    pub(super) fn is_positive(self) -> bool {
        match self {
            Self::Int(int) => int > 0,
            Self::Float(float) => float > 0.0,
        }
    }

    /// Returns the integer value, if this is an integer in the range of `i128`.
    #[expect(clippy::cast_possible_truncation, reason = "in the range of i128")]
    pub(super) fn as_integer(self) -> Option<i128> {
        match self {
            Self::Int(int) => Some(int),
            Self::Float(float) if float.fract() == 0.0 && float.abs() < BEYOND => {
                Some(float as i128)
            }
            Self::Float(_) => None,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "returns the nearest float")]
    pub(super) fn as_float(self) -> f64 {
        match self {
            Self::Int(int) => int as f64,
            Self::Float(float) => float,
        }
    }

    /// Returns the digits and the power of ten that they are multiplied by.
    fn as_decimal(self) -> Option<(i128, i32)> {
        let Self::Float(float) = self else {
            let Self::Int(int) = self else { return None };
            return Some((int, 0));
        };
        let text = format!("{float:e}");
        let (digits, exponent) = text.split_once('e')?;
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let exponent: i32 = exponent.parse().ok()?;
        let places = i32::try_from(fraction.len()).ok()?;
        Some((format!("{whole}{fraction}").parse().ok()?, exponent - places))
    }
}

impl PartialEq for Num {
    fn eq(&self, other: &Self) -> bool {
        self.compare_to(*other) == Ordering::Equal
    }
}

impl std::fmt::Display for Num {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Int(int) => int.fmt(f),
            Self::Float(float) => float.fmt(f),
        }
    }
}

/// Every float above this is larger than every integer that serde_json represents.
const BEYOND: f64 = 1e30;

#[expect(clippy::cast_possible_truncation, reason = "in the range of i128")]
fn compare_mixed(int: i128, float: f64) -> Ordering {
    if float.abs() > BEYOND {
        return if float > 0.0 { Ordering::Less } else { Ordering::Greater };
    }
    let floor = float.floor();
    match int.cmp(&(floor as i128)) {
        Ordering::Equal if float > floor => Ordering::Less,
        order => order,
    }
}

fn scale_digits((digits, exponent): (i128, i32), to: i32) -> Option<i128> {
    let power = u32::try_from(exponent.checked_sub(to)?).ok()?;
    digits.checked_mul(10_i128.checked_pow(power)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn num(text: &str) -> Num {
        Num::from_number(&text.parse::<Number>().expect("a number")).expect("finite")
    }

    #[test]
    fn integers_beyond_f64_precision_are_distinguished() {
        for (a, b, order) in [
            ("18446744073709551615", "18446744073709551614", Ordering::Greater),
            ("9007199254740993", "9007199254740992.0", Ordering::Greater),
            ("7", "7.0", Ordering::Equal),
            ("7", "7.5", Ordering::Less),
            ("-7", "-7.5", Ordering::Greater),
            ("18446744073709551615", "1e300", Ordering::Less),
            ("-9223372036854775808", "-1e300", Ordering::Greater),
            ("0", "-0.0", Ordering::Equal),
        ] {
            assert_eq!(num(a).compare_to(num(b)), order, "{a} {b}");
        }
    }

    #[test]
    fn multiples_are_judged_by_their_digits() {
        for (value, step, is) in [
            ("0.3", "0.1", true),
            ("0.35", "0.1", false),
            ("19.99", "0.01", true),
            ("1e3", "10", true),
            ("5.0", "5", true),
            ("7", "3.5", true),
            ("18446744073709551615", "5", true),
            ("1e300", "7e-300", false),
        ] {
            assert_eq!(num(value).is_multiple_of(num(step)), is, "{value} {step}");
        }
    }
}
