//! Parsing of untrusted JSON, with a limit on the number of its values.
//!
//! A list of many small values needs a hundred times as much memory as its text, so a limit on bytes is not sufficient.

use std::cell::Cell;
use std::fmt;

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
/// Returns the error from `serde_json`, an error that names the limit, or an error that names an integer that does not
/// fit into 64 bits.
pub fn parse_bounded(text: &[u8]) -> serde_json::Result<Value> {
    parse_within(text, &ValueBudget::default())
}

/// Parses one of several documents that share a budget.
///
/// # Errors
/// The same as for [`parse_bounded`].
pub fn parse_within(text: &[u8], budget: &ValueBudget) -> serde_json::Result<Value> {
    check_integers(text)?;
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let value = BoundedValue(budget).deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// Deserializes a response from a server that the program has chosen, or a file, with a limit on the number of values.
///
/// # Errors
/// Returns the error from `serde_json`, or an error that names the limit.
pub fn parse_response<'a, T: Deserialize<'a>>(text: &'a [u8]) -> serde_json::Result<T> {
    if has_more_values(text, MAX_RESPONSE_VALUES) {
        return Err(too_many(MAX_RESPONSE_VALUES));
    }
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

/// Checks that every integer of a document fits into 64 bits. A `Value` would round a larger integer, such as an ID or
/// an amount. Decimal numbers are parsed as the nearest `f64`.
///
/// # Errors
/// Returns an error that names the first integer that is too large.
pub fn check_integers(text: &[u8]) -> serde_json::Result<()> {
    find_large_integer(text).map_or(Ok(()), |integer| Err(large_integer_error(integer)))
}

/// Returns the error for an integer that does not fit into 64 bits.
pub fn large_integer_error(integer: &str) -> serde_json::Error {
    serde::de::Error::custom(format_args!(
        "the integer `{}` does not fit into 64 bits; send it as a string",
        excerpt(integer, SHOWN_DIGITS)
    ))
}

/// Returns whether a number is an integer that fits neither `i64` nor `u64`.
pub fn is_large_integer(number: &[u8]) -> bool {
    let digits = number.strip_prefix(b"-").unwrap_or(number);
    digits.len() >= MIN_LARGE_DIGITS
        && digits.iter().all(u8::is_ascii_digit)
        && std::str::from_utf8(number)
            .is_ok_and(|number| number.parse::<i64>().is_err() && number.parse::<u64>().is_err())
}

/// Returns the first integer that fits neither `i64` nor `u64`.
fn find_large_integer(text: &[u8]) -> Option<&str> {
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
                if is_large_integer(number) {
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
