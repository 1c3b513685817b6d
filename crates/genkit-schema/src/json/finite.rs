//! A check for numbers that JSON cannot represent: NaN and infinity, which `serde_json` writes as `null`.

use std::fmt;

use serde::ser::{self, Error as _, Serialize, Serializer};
use serde_json::Value;

/// Converts a value to JSON.
///
/// # Errors
/// Returns the error from the value's own serialization, or an error that names the first number that is not finite.
pub fn to_finite_value(value: impl Serialize) -> serde_json::Result<Value> {
    let json = serde_json::to_value(&value)?;
    // Numbers that are not finite become `null`, so most values need no second pass.
    if contains_null(&json) {
        check_finite(&value).map_err(serde_json::Error::custom)?;
    }
    Ok(json)
}

fn contains_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(contains_null),
        Value::Object(members) => members.values().any(contains_null),
        _ => false,
    }
}

/// Finds the first number in `value` that is not finite. Returns an error that names its path.
pub fn check_finite(value: &impl Serialize) -> Result<(), NotFinite> {
    value.serialize(&mut FloatCheck { path: String::new() })
}

/// A number that is not finite, or another error of the value's own serialization.
#[derive(Debug)]
pub struct NotFinite(String);

impl fmt::Display for NotFinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotFinite {}

impl ser::Error for NotFinite {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

/// A serializer that checks floats and produces no output.
struct FloatCheck {
    path: String,
}

impl FloatCheck {
    fn check(&self, number: f64) -> Result<(), NotFinite> {
        if number.is_finite() {
            return Ok(());
        }
        let place = match self.path.as_str() {
            "" => "the value".to_owned(),
            path => format!("`{}`", path.strip_prefix('.').unwrap_or(path)),
        };
        Err(NotFinite(format!(
            "{place} is {number}, which JSON cannot represent; use a finite number or `None`, or return an error"
        )))
    }

    fn check_inside<T: Serialize + ?Sized>(
        &mut self,
        segment: &str,
        value: &T,
    ) -> Result<(), NotFinite> {
        let length = self.path.len();
        self.path.push_str(segment);
        value.serialize(&mut *self)?;
        self.path.truncate(length);
        Ok(())
    }
}

/// The serializer for the items or members of a value.
struct Inside<'a> {
    check: &'a mut FloatCheck,
    index: usize,
    key: String,
}

impl<'a> Inside<'a> {
    fn new(check: &'a mut FloatCheck) -> Self {
        Self { check, index: 0, key: String::new() }
    }

    fn check_item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotFinite> {
        let segment = format!("[{}]", self.index);
        self.index += 1;
        self.check.check_inside(&segment, value)
    }
}

macro_rules! accept {
    ($($name:ident: $kind:ty),* $(,)?) => {
        $(fn $name(self, _: $kind) -> Result<(), NotFinite> { Ok(()) })*
    };
}

impl<'a> Serializer for &'a mut FloatCheck {
    type Ok = ();
    type Error = NotFinite;
    type SerializeSeq = Inside<'a>;
    type SerializeTuple = Inside<'a>;
    type SerializeTupleStruct = Inside<'a>;
    type SerializeTupleVariant = Inside<'a>;
    type SerializeMap = Inside<'a>;
    type SerializeStruct = Inside<'a>;
    type SerializeStructVariant = Inside<'a>;

    accept! {
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_i128: i128, serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64,
        serialize_u128: u128, serialize_char: char, serialize_str: &str, serialize_bytes: &[u8],
        serialize_unit_struct: &'static str,
    }

    fn serialize_f32(self, number: f32) -> Result<(), NotFinite> {
        self.check(number.into())
    }

    fn serialize_f64(self, number: f64) -> Result<(), NotFinite> {
        self.check(number)
    }

    fn serialize_none(self) -> Result<(), NotFinite> {
        Ok(())
    }

    fn serialize_unit(self) -> Result<(), NotFinite> {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), NotFinite> {
        value.serialize(self)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
    ) -> Result<(), NotFinite> {
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), NotFinite> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), NotFinite> {
        self.check_inside(&format!(".{variant}"), value)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Inside<'a>, NotFinite> {
        Ok(Inside::new(self))
    }

    fn serialize_tuple(self, _: usize) -> Result<Inside<'a>, NotFinite> {
        Ok(Inside::new(self))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Inside<'a>, NotFinite> {
        Ok(Inside::new(self))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Inside<'a>, NotFinite> {
        Ok(Inside::new(self))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Inside<'a>, NotFinite> {
        Ok(Inside::new(self))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Inside<'a>, NotFinite> {
        Ok(Inside::new(self))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Inside<'a>, NotFinite> {
        Ok(Inside::new(self))
    }
}

macro_rules! check_items {
    ($($of:ident $method:ident),*) => {
        $(impl ser::$of for Inside<'_> {
            type Ok = ();
            type Error = NotFinite;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotFinite> {
                self.check_item(value)
            }

            fn end(self) -> Result<(), NotFinite> {
                Ok(())
            }
        })*
    };
}

macro_rules! check_fields {
    ($($of:ident),*) => {
        $(impl ser::$of for Inside<'_> {
            type Ok = ();
            type Error = NotFinite;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), NotFinite> {
                self.check.check_inside(&format!(".{key}"), value)
            }

            fn end(self) -> Result<(), NotFinite> {
                Ok(())
            }
        })*
    };
}

check_items!(
    SerializeSeq serialize_element, SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field, SerializeTupleVariant serialize_field
);
check_fields!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Inside<'_> {
    type Ok = ();
    type Error = NotFinite;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), NotFinite> {
        self.key = match serde_json::to_value(key) {
            Ok(serde_json::Value::String(key)) => key,
            Ok(other) => other.to_string(),
            Err(_) => "?".to_owned(),
        };
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NotFinite> {
        let segment = format!(".{}", self.key);
        self.check.check_inside(&segment, value)
    }

    fn end(self) -> Result<(), NotFinite> {
        Ok(())
    }
}
