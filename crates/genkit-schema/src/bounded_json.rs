//! Parsing of untrusted JSON, with a limit on the number of its values.
//!
//! A list of many small values needs a hundred times as much memory as its text, so a limit on bytes is not sufficient.

use std::cell::Cell;
use std::fmt;
use std::str::FromStr as _;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::truncate::excerpt;

/// The maximum number of values and keys in an untrusted JSON document. Default is 200,000. Values are weighted by the
/// memory that they need: a list or an object counts as three, a string or a key as two.
pub const MAX_JSON_VALUES: usize = 200_000;

/// The maximum number of values in a response from a server that the program has chosen, or in a file. Default is
/// 1,000,000.
pub const MAX_RESPONSE_VALUES: usize = 1_000_000;

/// The weight of a list or an object, in values.
pub const CONTAINER_WEIGHT: usize = 3;

/// The weight of a string or a key, in values.
pub const STRING_WEIGHT: usize = 2;

/// The size of a map that is created with its exact size.
const SMALL_MAP: usize = 8;

/// The number of digits of the smallest integer that does not fit into 64 bits.
const MIN_LARGE_DIGITS: usize = 19;

/// The number of digits that an `f64` always keeps.
const KEPT_DIGITS: usize = 15;

/// The number of digits that identify an `f64`.
const WRITTEN_DIGITS: usize = 17;

/// The maximum number of digits of a decimal number. More digits are slow to compare.
const MOST_DIGITS: usize = 19;

/// The maximum length shown of a number, in characters. Default is 40.
const SHOWN_DIGITS: usize = 40;

/// The number of values that a document, or all documents of a request, may still have.
#[derive(Debug)]
pub struct ValueBudget {
    left: Cell<usize>,
    limit: usize,
}

impl Default for ValueBudget {
    fn default() -> Self {
        Self::new(MAX_JSON_VALUES)
    }
}

impl ValueBudget {
    /// Creates a budget of this number of values.
    pub fn new(limit: usize) -> Self {
        Self { left: Cell::new(limit), limit }
    }

    fn count_values<E: serde::de::Error>(&self, weight: usize) -> Result<(), E> {
        let left = self.left.get().checked_sub(weight);
        self.left.set(left.unwrap_or(0));
        left.map(|_| ()).ok_or_else(|| too_many(self.limit))
    }

    /// Returns whether the budget is exhausted, which usually means that a document was rejected.
    pub fn is_spent(&self) -> bool {
        self.left.get() == 0
    }
}

fn too_many<E: serde::de::Error>(limit: usize) -> E {
    E::custom(format_args!("the JSON has more than {limit} values"))
}

/// Parses a document.
///
/// # Errors
/// Returns the error from `serde_json`, an error that names the limit, or an error that names a number that would be
/// changed.
pub fn parse_bounded(text: &[u8]) -> serde_json::Result<Value> {
    parse_within(text, &ValueBudget::default())
}

/// Parses one of several documents that share a budget.
///
/// # Errors
/// Returns the same errors as [`parse_bounded`].
pub fn parse_within(text: &[u8], budget: &ValueBudget) -> serde_json::Result<Value> {
    check_numbers(text)?;
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let value = BoundedValue(budget).deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// Deserializes a response from a server that the program has chosen, or a file, with a limit on the number of values.
///
/// # Errors
/// Returns the same errors as [`parse_bounded`].
pub fn parse_response<'a, T: Deserialize<'a>>(text: &'a [u8]) -> serde_json::Result<T> {
    if has_more_values(text, MAX_RESPONSE_VALUES) {
        return Err(too_many(MAX_RESPONSE_VALUES));
    }
    check_numbers(text)?;
    serde_json::from_slice(text)
}

/// Returns whether JSON text has more values than the limit. Counts before parsing, since parsed values take about ten
/// times as much memory as the text.
pub fn has_more_values(text: &[u8], limit: usize) -> bool {
    // Each value except the first follows a comma, or is the first in an array or object.
    if text.len() <= limit {
        return false;
    }
    let (mut values, mut in_string, mut escaped) = (1_usize, false, false);
    for byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b',' | b'[' | b'{' => {
                values += 1;
                if values > limit {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// Returns whether text that may contain JSON has more values than the limit. Counts inside strings as well, because
/// a quote in the text around the JSON does not start a string.
pub fn may_have_more_values(text: &str, limit: usize) -> bool {
    text.len() > limit
        && text.bytes().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count() > limit
}

/// Checks that a `Value` keeps every number of a document. A `Value` holds integers of 64 bits and `f64`s, so it would
/// round a larger integer, such as an ID, or a decimal number with more digits, such as an amount.
///
/// # Errors
/// Returns an error that names the first number that would be changed.
pub fn check_numbers(text: &[u8]) -> serde_json::Result<()> {
    find_changed_number(text).map_or(Ok(()), |number| Err(changed_number_error(number)))
}

/// Returns the error for a number that would be changed.
pub fn changed_number_error(number: &str) -> serde_json::Error {
    let shown = excerpt(number, SHOWN_DIGITS);
    let problem = match is_integer(number.as_bytes()) {
        true => format!("the integer `{shown}` does not fit into 64 bits; send it as a string"),
        false => format!(
            "the number `{shown}` would be rounded to 64 bits; write at most {KEPT_DIGITS} digits, or send it as a string"
        ),
    };
    serde::de::Error::custom(problem)
}

/// Returns whether a `Value` would change a number: an integer that fits neither `i64` nor `u64`, or a decimal number
/// that is not an `f64` printed with some number of digits.
pub fn is_changed_number(number: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(number) else { return false };
    if is_integer(number) {
        return number.len() >= MIN_LARGE_DIGITS
            && text.parse::<i64>().is_err()
            && text.parse::<u64>().is_err();
    }
    // Shorter numbers are always kept.
    let is_short = number.len() <= KEPT_DIGITS && !number.iter().any(u8::is_ascii_alphabetic);
    !is_short && is_changed_decimal(text)
}

fn is_integer(number: &[u8]) -> bool {
    number.strip_prefix(b"-").unwrap_or(number).iter().all(u8::is_ascii_digit)
}

fn is_changed_decimal(number: &str) -> bool {
    // `serde_json` rejects numbers that are not finite.
    let Some(value) = number.parse::<f64>().ok().filter(|value| value.is_finite()) else {
        return false;
    };
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let whole = whole.trim_start_matches('-');
    let all = [whole, fraction].concat();
    let significant = all.trim_start_matches('0');
    let leading_zeros = all.len() - significant.len();
    let digits = significant.trim_end_matches('0');
    if digits.is_empty() || value == 0.0 {
        return !digits.is_empty();
    }
    if digits.len() <= KEPT_DIGITS && value.is_normal() {
        return false;
    }
    // The power of ten of the first digit. A finite number other than 0 has a small exponent, or about as many digits
    // as its exponent.
    let Ok(power) = i128::from_str(exponent) else { return true };
    let power = power + whole.len() as i128 - leading_zeros as i128 - 1;
    let is_whole = power + 1 == digits.len() as i128;
    if digits.len() <= WRITTEN_DIGITS && !is_whole && value.is_normal() {
        return false; // Some programs write the last digit of an `f64` inexactly.
    }
    if digits.len() > MOST_DIGITS {
        return true;
    }
    let kept = format!("{:.*e}", digits.len() - 1, value.abs());
    let (kept_digits, kept_power) = kept.split_once('e').unwrap_or((&kept, "0"));
    kept_digits.replace('.', "") != digits || kept_power.parse() != Ok(power)
}

/// Returns the first number that a `Value` would change.
fn find_changed_number(text: &[u8]) -> Option<&str> {
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'"' => {
                while let Some(byte) = text.get(at).filter(|byte| **byte != b'"') {
                    at += if *byte == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'-' | b'0'..=b'9' => {
                let is_part =
                    |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
                at += text[at..].iter().take_while(|byte| is_part(byte)).count();
                let number = &text[start..at];
                if is_changed_number(number) {
                    return std::str::from_utf8(number).ok();
                }
            }
            _ => {}
        }
    }
    None
}

/// Deserializes a [`Value`] and counts its values during deserialization.
#[derive(Clone, Copy, Debug)]
pub struct BoundedValue<'a>(pub &'a ValueBudget);

impl<'de> DeserializeSeed<'de> for BoundedValue<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for BoundedValue<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<Value, E> {
        self.0.count_values(1)?;
        Ok(Value::Null)
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<Value, E> {
        self.0.count_values(1)?;
        Ok(value.into())
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Value, E> {
        self.0.count_values(1)?;
        Ok(value.into())
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Value, E> {
        self.0.count_values(1)?;
        Ok(value.into())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        self.0.count_values(1)?;
        serde_json::Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("the number is too large"))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Value, E> {
        self.0.count_values(STRING_WEIGHT)?;
        Ok(value.into())
    }

    fn visit_string<E: serde::de::Error>(self, value: String) -> Result<Value, E> {
        self.0.count_values(STRING_WEIGHT)?;
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        self.0.count_values(CONTAINER_WEIGHT)?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        // Release unused capacity, because a list is allocated with space for at least four values.
        list.shrink_to_fit();
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        self.0.count_values(CONTAINER_WEIGHT)?;
        // A small map is created with its exact size, because a map that grows takes several times as much memory.
        let mut small = Vec::new();
        let mut map = Map::new();
        while let Some(mut key) = members.next_key::<String>()? {
            self.0.count_values(STRING_WEIGHT)?;
            key.shrink_to_fit();
            let value = members.next_value_seed(self)?;
            match map.is_empty() && small.len() < SMALL_MAP {
                true => small.push((key, value)),
                false => {
                    map.extend(small.drain(..));
                    map.insert(key, value);
                }
            }
        }
        if map.is_empty() && !small.is_empty() {
            map = Map::with_capacity(small.len());
            map.extend(small);
        }
        Ok(map.into())
    }
}
