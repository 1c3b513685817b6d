//! The schemas that model providers read.
//!
//! Each function turns an exact schema (a root schema of schemars, draft 2020-12) into one dialect. None follows a
//! reference more often than it must, and none panics on a schema that somebody wrote by hand.

use std::borrow::Cow;

use serde_json::{Map, Value};

mod gemini;
mod openai;

#[cfg(test)]
mod tests;

pub(crate) use gemini::{gemini_json, gemini_subset};
pub(crate) use openai::openai_strict;

use super::pointer;
use super::portable::{Degraded, MAX_DEPTH, MAX_NODES};

/// Whether a schema describes an object that has no properties: some models refuse one as the parameters of a tool.
pub(crate) fn is_empty_object(schema: &Value) -> bool {
    const SAY_MORE: [&str; 7] =
        ["$ref", "anyOf", "oneOf", "allOf", "patternProperties", "additionalProperties", "not"];
    let Some(map) = schema.as_object() else {
        return false;
    };
    let is_object = map
        .get("type")
        .and_then(Value::as_str)
        .is_some_and(|name| name.eq_ignore_ascii_case("object"));
    let says_more = |key: &&str| map.get(*key).is_some_and(|value| *value != Value::Bool(false));
    let has_none =
        |properties: &Value| properties.as_object().is_none_or(serde_json::Map::is_empty);
    is_object && map.get("properties").is_none_or(has_none) && !SAY_MORE.iter().any(says_more)
}

/// What a keyword holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// One schema, or true or false in its place.
    Schema,
    /// A list of schemas.
    List,
    /// Schemas by name.
    Named,
    /// Anything else.
    Data,
}

fn holds(keyword: &str) -> Holds {
    match keyword {
        "items"
        | "additionalProperties"
        | "unevaluatedProperties"
        | "unevaluatedItems"
        | "contains"
        | "propertyNames"
        | "contentSchema"
        | "not"
        | "if"
        | "then"
        | "else" => Holds::Schema,
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => Holds::List,
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
            Holds::Named
        }
        _ => Holds::Data,
    }
}

/// What a `$ref` names, and its pointer.
fn resolve<'a>(root: &'a Value, reference: &Value) -> Option<(&'a Map<String, Value>, String)> {
    let pointer = pointer::of_reference(reference.as_str()?)?;
    Some((root.pointer(&pointer)?.as_object()?, pointer))
}

/// One schema out of what a `$ref` names and the keywords beside it, which win; properties and required names of both
/// hold.
fn merged(target: &Map<String, Value>, beside: &Map<String, Value>) -> Map<String, Value> {
    let mut merged = target.clone();
    for (key, value) in beside.iter().filter(|(key, _)| *key != "$ref") {
        match (key.as_str(), merged.get_mut(key), value) {
            ("properties", Some(Value::Object(all)), Value::Object(more)) => {
                all.extend(more.iter().map(|(name, schema)| (name.clone(), schema.clone())));
            }
            ("required", Some(Value::Array(all)), Value::Array(more)) => {
                let new: Vec<_> = more.iter().filter(|name| !all.contains(name)).cloned().collect();
                all.extend(new);
            }
            _ => {
                merged.insert(key.clone(), value.clone());
            }
        }
    }
    merged
}

/// The types that a schema names, in its order.
fn types(map: &Map<String, Value>) -> Vec<&str> {
    match map.get("type") {
        Some(Value::String(only)) => vec![only],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// The types of values, each once.
fn types_of(values: &[Value]) -> Vec<&'static str> {
    let mut types = Vec::new();
    for value in values {
        let name = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        if !types.contains(&name) {
            types.push(name);
        }
    }
    types
}

/// The fixed values of a schema: its `enum`, or its `const`.
fn fixed(map: &Map<String, Value>) -> Option<Vec<Value>> {
    if let Some(only) = map.get("const") {
        return Some(vec![only.clone()]);
    }
    map.get("enum")?.as_array().cloned()
}

/// The choice in a schema: its keyword and its branches.
fn choice(map: &Map<String, Value>) -> Option<(&'static str, &Vec<Value>)> {
    ["anyOf", "oneOf"].into_iter().find_map(|key| Some((key, map.get(key)?.as_array()?)))
}

/// The schemas of a tuple, each once, if it is one.
fn kinds(map: &Map<String, Value>) -> Option<Vec<(usize, &Value)>> {
    let mut kinds: Vec<(usize, &Value)> = Vec::new();
    for (index, schema) in map.get("prefixItems")?.as_array()?.iter().enumerate() {
        if kinds.iter().all(|(_, other)| *other != schema) {
            kinds.push((index, schema));
        }
    }
    Some(kinds)
}

/// A pointer for people.
fn place(at: &str) -> Cow<'_, str> {
    if at.is_empty() { "the root".into() } else { format!("`{at}`").into() }
}
