//! Values during rendering, borrowed from the data where possible.

use serde_json::{Map, Value};

#[derive(Clone, Debug)]
pub(super) enum Val<'s> {
    /// A value that does not exist, as opposed to `null`.
    Missing,
    Ref(&'s Value),
    Map(&'s Map<String, Value>),
    Text(&'s str),
    Owned(Value),
}

impl<'s> Val<'s> {
    /// Borrows the value.
    pub(super) fn borrow(&self) -> Val<'_> {
        match self {
            Self::Missing => Val::Missing,
            Self::Ref(value) => Val::Ref(value),
            Self::Map(map) => Val::Map(map),
            Self::Text(text) => Val::Text(text),
            Self::Owned(value) => Val::Ref(value),
        }
    }

    pub(super) fn get_key(self, key: &str) -> Val<'s> {
        match self {
            Self::Missing => Self::Missing,
            Self::Text(text) => string_member(text, key).map_or(Self::Missing, Self::Owned),
            Self::Map(map) => map.get(key).map_or(Self::Missing, Self::Ref),
            Self::Ref(value) => match value {
                Value::Object(map) => map.get(key).map_or(Self::Missing, Self::Ref),
                Value::Array(list) if key == "length" => length_value(list.len()),
                Value::Array(list) => {
                    index(key).and_then(|i| list.get(i)).map_or(Self::Missing, Self::Ref)
                }
                Value::String(text) => Val::Text(text).get_key(key),
                Value::Null => Self::Ref(value),
                _ => Self::Missing,
            },
            Self::Owned(value) => match value {
                Value::Object(mut map) => map.swap_remove(key).map_or(Self::Missing, Self::Owned),
                Value::Array(list) if key == "length" => length_value(list.len()),
                Value::Array(mut list) => match index(key).filter(|i| *i < list.len()) {
                    Some(i) => Self::Owned(list.swap_remove(i)),
                    None => Self::Missing,
                },
                Value::String(text) => string_member(&text, key).map_or(Self::Missing, Self::Owned),
                Value::Null => Self::Owned(value),
                _ => Self::Missing,
            },
        }
    }

    pub(super) fn as_list(&self) -> Option<&[Value]> {
        match self {
            Self::Ref(Value::Array(list)) => Some(list),
            Self::Owned(Value::Array(list)) => Some(list),
            _ => None,
        }
    }

    pub(super) fn as_map(&self) -> Option<&Map<String, Value>> {
        match self {
            Self::Map(map) => Some(map),
            Self::Ref(Value::Object(map)) => Some(map),
            Self::Owned(Value::Object(map)) => Some(map),
            _ => None,
        }
    }

    pub(super) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Ref(value) => value.as_str(),
            Self::Owned(value) => value.as_str(),
            _ => None,
        }
    }

    /// Returns the value as JSON, if it is stored as JSON.
    pub(super) fn as_value(&self) -> Option<&Value> {
        match self {
            Self::Ref(value) => Some(value),
            Self::Owned(value) => Some(value),
            _ => None,
        }
    }

    pub(super) fn is_missing_or_null(&self) -> bool {
        matches!(self, Self::Missing) || self.as_value().is_some_and(Value::is_null)
    }

    /// Returns whether `if` treats the value as false, except for 0: see [`is_zero`](Self::is_zero).
    pub(super) fn is_empty(&self) -> bool {
        match self.as_value() {
            Some(Value::Null | Value::Bool(false)) => true,
            Some(Value::Array(list)) => list.is_empty(),
            _ => matches!(self, Self::Missing) || self.as_text() == Some(""),
        }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.as_value().and_then(Value::as_f64) == Some(0.0)
    }

    pub(super) fn into_value(self) -> Value {
        match self {
            Self::Missing => Value::Null,
            Self::Ref(value) => value.clone(),
            Self::Map(map) => Value::Object(map.clone()),
            Self::Text(text) => Value::from(text),
            Self::Owned(value) => value,
        }
    }

    /// Returns the approximate number of bytes that [`into_value`](Self::into_value) copies.
    pub(super) fn borrowed_bytes(&self) -> usize {
        match self {
            Self::Missing | Self::Owned(_) => 0,
            Self::Ref(value) => bytes_of_value(value),
            Self::Map(map) => bytes_of_map(map),
            Self::Text(text) => text.len(),
        }
    }
}

/// Returns the size of a value: 16 bytes plus the length of its text.
fn bytes_of_value(value: &Value) -> usize {
    16 + match value {
        Value::String(text) => text.len(),
        Value::Array(list) => list.iter().map(bytes_of_value).sum(),
        Value::Object(map) => bytes_of_map(map),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

pub(super) fn bytes_of_map(map: &Map<String, Value>) -> usize {
    map.iter().map(|(key, value)| key.len() + bytes_of_value(value)).sum()
}

/// Returns the length of a string, or one of its characters.
fn string_member(text: &str, key: &str) -> Option<Value> {
    if key == "length" {
        return Some(text.encode_utf16().count().into());
    }
    text.chars().nth(index(key)?).map(|c| c.to_string().into())
}

fn length_value<'s>(length: usize) -> Val<'s> {
    Val::Owned(length.into())
}

/// Parses an index: `"1"`, but neither `"01"` nor `"+1"`.
fn index(key: &str) -> Option<usize> {
    let canonical = key == "0" || !key.starts_with(['0', '+']);
    canonical.then(|| key.parse().ok()).flatten()
}
