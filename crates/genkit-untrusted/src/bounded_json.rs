//! JSON from outside, read with a limit on the number of its values.
//!
//! A list of many small values takes a hundred times its text in memory, so a limit on bytes is not enough.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// The maximum number of values and keys in a JSON document from outside. Default is 200,000.
pub const MAX_JSON_VALUES: usize = 200_000;

/// The size of a map that is created with its exact size.
const SMALL_MAP: usize = 8;

/// How many more values a document, or all documents of a request, may have.
#[derive(Debug)]
pub struct ValueBudget(Cell<usize>);

impl Default for ValueBudget {
    fn default() -> Self {
        Self(Cell::new(MAX_JSON_VALUES))
    }
}

impl ValueBudget {
    fn count_value<E: serde::de::Error>(&self) -> Result<(), E> {
        let left = self.0.get().checked_sub(1).ok_or_else(|| {
            E::custom(format_args!("the JSON has more than {MAX_JSON_VALUES} values"))
        })?;
        self.0.set(left);
        Ok(())
    }

    /// Returns whether no values are left, so that a document was probably rejected.
    pub fn is_spent(&self) -> bool {
        self.0.get() == 0
    }
}

/// Parses a document.
///
/// # Errors
/// Returns the error from `serde_json`, or an error that names the limit.
pub fn parse_bounded(text: &[u8]) -> serde_json::Result<Value> {
    parse_within(text, &ValueBudget::default())
}

/// Parses one of several documents that share a budget.
///
/// # Errors
/// As [`parse_bounded`].
pub fn parse_within(text: &[u8], budget: &ValueBudget) -> serde_json::Result<Value> {
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let value = BoundedValue(budget).deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// Deserializes a [`Value`] and counts its values, also while it is built.
#[derive(Clone, Copy, Debug)]
pub struct BoundedValue<'a>(pub &'a ValueBudget);

impl<'de> DeserializeSeed<'de> for BoundedValue<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.0.count_value()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for BoundedValue<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        serde_json::Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("the number is too large"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        // A list begins with room for four values.
        list.shrink_to_fit();
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        // A small map is created with its exact size, because a map that grows takes several times as much.
        let mut small = Vec::new();
        let mut map = Map::new();
        while let Some(mut key) = members.next_key::<String>()? {
            self.0.count_value()?;
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
