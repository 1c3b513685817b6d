//! Plain schemas, which describe a type and have no constraints beyond those that deserialization checks.

use serde_json::{Map, Value};

use super::keywords::Types;

/// Returns whether the schema of a type has no constraints beyond those that deserialization checks, without compiling
/// the schema. Returns `false` if that is not obvious, as for references, choices and listed values.
pub(super) fn asserts_nothing(schema: &Value) -> bool {
    match schema {
        Value::Bool(_) => true,
        Value::Object(map) => map.iter().all(|(keyword, value)| is_plain(map, keyword, value)),
        _ => false,
    }
}

fn is_plain(map: &Map<String, Value>, keyword: &str, value: &Value) -> bool {
    match keyword {
        "title" | "description" | "default" | "examples" | "format" | "deprecated" | "readOnly"
        | "writeOnly" | "$comment" => true,
        "$schema" => value.as_str().is_some_and(|draft| draft.contains("/2020-12/")),
        "type" => match value {
            Value::String(name) => Types::default().with_type(name).is_some(),
            Value::Array(names) => {
                let is_type = |name: &str| Types::default().with_type(name).is_some();
                names.iter().all(|name| name.as_str().is_some_and(is_type))
            }
            _ => false,
        },
        "minimum" | "maximum" => is_of_the_type(map, keyword, value),
        "required" => {
            value.as_array().is_some_and(|names| names.iter().all(|name| name.is_string()))
        }
        "properties" => value.as_object().is_some_and(|all| all.values().all(asserts_nothing)),
        "additionalProperties" | "items" => asserts_nothing(value),
        _ => false,
    }
}

/// Returns whether a bound is only the range of the Rust number type: `u8` is 0 to 255.
pub(super) fn is_of_the_type(map: &Map<String, Value>, keyword: &str, value: &Value) -> bool {
    let format = map.get("format").and_then(Value::as_str).unwrap_or_default();
    let own: Option<i64> = match (keyword, format) {
        ("minimum", format) if format.starts_with("uint") => Some(0),
        ("maximum", "uint8") => Some(u8::MAX.into()),
        ("maximum", "uint16") => Some(u16::MAX.into()),
        ("maximum", "uint32") => Some(u32::MAX.into()),
        ("minimum", "int8") => Some(i8::MIN.into()),
        ("maximum", "int8") => Some(i8::MAX.into()),
        ("minimum", "int16") => Some(i16::MIN.into()),
        ("maximum", "int16") => Some(i16::MAX.into()),
        _ => None,
    };
    own.is_some() && value.as_i64() == own
}
