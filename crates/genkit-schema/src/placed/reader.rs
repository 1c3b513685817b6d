//! A deserializer for JSON that records the path to an error, from the innermost segment outwards.

use std::cell::RefCell;

use serde::de::{DeserializeSeed, Deserializer, Error as _, Visitor};
use serde_json::{Error, Map, Value};

use super::Segment;
use super::parts::{Items, Members, Variant};

/// The prefix of names with which serde_json requests its own kinds of values. Those are passed through.
const OWN: &str = "$serde_json::private::";

/// A value that is deserialized as by serde_json, with tracking of the path.
#[derive(Clone, Copy)]
pub(super) struct Watched<'de, 'w> {
    pub(super) value: &'de Value,
    /// The path to the error, starting with the innermost segment.
    pub(super) way_back: &'w RefCell<Vec<Segment>>,
}

impl<'de, 'w> Watched<'de, 'w> {
    /// Deserializes a part. The path of an error in it is extended by `step`.
    pub(super) fn part<S: DeserializeSeed<'de>>(
        self,
        step: impl FnOnce() -> Segment,
        seed: S,
    ) -> Result<S::Value, Error> {
        let way_back = self.way_back;
        note(way_back, step, seed.deserialize(self))
    }

    fn items<V: Visitor<'de>>(self, items: &'de [Value], visitor: V) -> Result<V::Value, Error> {
        let mut access = Items { items: items.iter(), read: 0, way_back: self.way_back };
        let value = visitor.visit_seq(&mut access)?;
        match access.items.len() {
            0 => Ok(value),
            _ => Err(Error::invalid_length(items.len(), &"fewer elements in array")),
        }
    }

    fn members<V: Visitor<'de>>(
        self,
        members: &'de Map<String, Value>,
        visitor: V,
    ) -> Result<V::Value, Error> {
        let mut access = Members { members: members.iter(), next: None, way_back: self.way_back };
        let value = visitor.visit_map(&mut access)?;
        match access.members.len() {
            0 => Ok(value),
            _ => Err(Error::invalid_length(members.len(), &"fewer elements in map")),
        }
    }
}

/// Records the segment if `result` is an error. A success clears the path, because the caller recovered from earlier
/// errors.
pub(super) fn note<T>(
    way_back: &RefCell<Vec<Segment>>,
    step: impl FnOnce() -> Segment,
    result: Result<T, Error>,
) -> Result<T, Error> {
    match &result {
        Ok(_) => way_back.borrow_mut().clear(),
        Err(_) => way_back.borrow_mut().push(step()),
    }
    result
}

macro_rules! unwatched {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.value.$method(visitor)
        }
    )*};
}

impl<'de> Deserializer<'de> for Watched<'de, '_> {
    type Error = Error;

    unwatched! {
        deserialize_bool deserialize_char deserialize_str deserialize_string deserialize_bytes
        deserialize_byte_buf deserialize_unit deserialize_identifier deserialize_ignored_any
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Array(items) => self.items(items, visitor),
            Value::Object(members) => self.members(members, visitor),
            scalar => scalar.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        match name.starts_with(OWN) {
            true => self.value.deserialize_newtype_struct(name, visitor),
            false => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Array(items) => self.items(items, visitor),
            other => other.deserialize_seq(visitor),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Object(members) => self.members(members, visitor),
            other => other.deserialize_map(visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_any(visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.value.deserialize_unit_struct(name, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let members = self.value.as_object().filter(|members| members.len() == 1);
        match members.and_then(|members| members.iter().next()) {
            Some((name, value)) => {
                visitor.visit_enum(Variant { name, inner: Watched { value, ..self } })
            }
            None => self.value.deserialize_enum(name, variants, visitor),
        }
    }
}
