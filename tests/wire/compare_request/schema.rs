//! Schemas without keywords that may be kept or dropped.

use serde_json::{Map, Value};

/// Keywords that are annotations or optional.
const FREE: [&str; 5] = ["$schema", "title", "default", "examples", "propertyOrdering"];

/// Keywords that the OpenAPI subset may keep or drop.
const BEYOND_SUBSET: [&str; 13] = [
    "format",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "pattern",
    "minProperties",
    "maxProperties",
    "anyOf",
    "additionalProperties",
    "example",
];

/// Normalizes a schema for comparison: removes annotations, and sorts `required` and `enum`.
pub fn canonical(schema: &Value, lower_types: bool) -> Value {
    let map = match schema {
        Value::Array(list) => {
            return list.iter().map(|one| canonical(one, lower_types)).collect();
        }
        Value::Object(map) => map,
        other => return other.clone(),
    };
    let mut out = Map::new();
    for (key, value) in map {
        let value = match (key.as_str(), value) {
            (key, _) if FREE.contains(&key) => continue,
            (_, Value::Null) => continue,
            ("additionalProperties", Value::Bool(false)) => continue,
            ("properties" | "$defs" | "definitions", Value::Object(named)) => {
                if named.is_empty() {
                    continue;
                }
                let one =
                    |(name, own): (&String, &Value)| (name.clone(), canonical(own, lower_types));
                Value::Object(named.iter().map(one).collect())
            }
            ("required", Value::Array(names)) => {
                if names.is_empty() {
                    continue;
                }
                sorted(names)
            }
            ("enum", Value::Array(values)) => sorted(values),
            ("type", value) if lower_types => lowered(value),
            (_, value) => canonical(value, lower_types),
        };
        out.insert(key.clone(), value);
    }
    Value::Object(out)
}

/// Moves defaults and examples into the description, as strict mode does, which has no keywords for them.
pub fn in_words(schema: &Value) -> Value {
    let map = match schema {
        Value::Array(list) => return list.iter().map(in_words).collect(),
        Value::Object(map) => map,
        other => return other.clone(),
    };
    let mut said: Vec<String> =
        map.get("description").and_then(Value::as_str).map(str::to_owned).into_iter().collect();
    said.extend(map.get("default").filter(|it| !it.is_null()).map(|it| format!("Default: {it}.")));
    if let Some(examples) = map.get("examples").and_then(Value::as_array) {
        let all: Vec<String> = examples.iter().map(Value::to_string).collect();
        said.push(format!("Examples: {}.", all.join(", ")));
    }
    let mut out = Map::new();
    for (key, value) in map {
        let value = match (key.as_str(), value) {
            ("default" | "examples" | "description", _) => continue,
            ("enum" | "const", value) => value.clone(),
            ("properties" | "$defs" | "definitions", Value::Object(named)) => {
                named.iter().map(|(name, own)| (name.clone(), in_words(own))).collect()
            }
            (_, value) => in_words(value),
        };
        out.insert(key.clone(), value);
    }
    if !said.is_empty() {
        out.insert("description".to_owned(), said.join(" ").into());
    }
    Value::Object(out)
}

fn sorted(values: &[Value]) -> Value {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut texts: Vec<String> = values.iter().map(text).collect();
    texts.sort();
    texts.into()
}

fn lowered(kind: &Value) -> Value {
    match kind {
        Value::String(name) => name.to_lowercase().into(),
        Value::Array(names) => names.iter().map(lowered).collect(),
        other => other.clone(),
    }
}

/// Returns a schema of the OpenAPI subset without the keywords that it may keep or drop.
pub fn subset(schema: &Value) -> Value {
    fn strip(schema: Value) -> Value {
        match schema {
            Value::Array(list) => list.into_iter().map(strip).collect(),
            Value::Object(mut map) => {
                map.retain(|key, _| !BEYOND_SUBSET.contains(&key.as_str()));
                if let Some(Value::Object(named)) = map.get_mut("properties") {
                    named.values_mut().for_each(|own| *own = strip(own.take()));
                }
                if let Some(items) = map.get_mut("items") {
                    *items = strip(items.take());
                }
                Value::Object(map)
            }
            other => other,
        }
    }
    strip(canonical(schema, true))
}

/// Reverts the changes for strict mode: required nullable properties become optional.
pub fn unstrict(schema: Value) -> Value {
    let mut map = match schema {
        Value::Array(list) => return list.into_iter().map(unstrict).collect(),
        Value::Object(map) => map,
        other => return other,
    };
    map.values_mut().for_each(|value| *value = unstrict(value.take()));
    let mut required: Vec<String> = map
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect())
        .unwrap_or_default();
    let Some(Value::Object(properties)) = map.get_mut("properties") else {
        return Value::Object(map);
    };
    for (name, own) in properties.iter_mut() {
        if let Some(plain) = without_null(own) {
            *own = plain;
            required.retain(|one| one != name);
        }
    }
    required.sort();
    if required.is_empty() {
        map.remove("required");
    } else {
        map.insert("required".to_owned(), required.into());
    }
    Value::Object(map)
}

/// Returns the schema without null, if null is one of its alternatives.
fn without_null(schema: &Value) -> Option<Value> {
    let mut map = schema.as_object()?.clone();
    if let Some(Value::Array(kinds)) = map.get("type")
        && kinds.iter().any(|kind| kind == "null")
    {
        let mut rest: Vec<Value> = kinds.iter().filter(|kind| *kind != "null").cloned().collect();
        let kind = if rest.len() == 1 { rest.remove(0) } else { Value::Array(rest) };
        map.insert("type".to_owned(), kind);
        return Some(Value::Object(map));
    }
    let is_null = |branch: &Value| *branch == serde_json::json!({ "type": "null" });
    let branches = map.get("anyOf")?.as_array()?;
    if !branches.iter().any(is_null) {
        return None;
    }
    let mut rest: Vec<Value> = branches.iter().filter(|branch| !is_null(branch)).cloned().collect();
    map.remove("anyOf");
    match rest.len() {
        1 => map.extend(rest.remove(0).as_object()?.clone()),
        _ => drop(map.insert("anyOf".to_owned(), Value::Array(rest))),
    }
    Some(Value::Object(map))
}
