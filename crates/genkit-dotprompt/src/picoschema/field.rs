//! Fields: `name?(kind, description): type, description`.

use serde_json::{Map, Value, json};

use super::type_names;
use crate::error_kind::{ErrorKind, Unknown};

/// An error, and the keys that lead to it.
pub(crate) type SchemaError = (ErrorKind, Vec<String>);

pub(crate) type Named<'a> = &'a dyn Fn(&str) -> Option<Value>;

/// The maximum nesting depth of maps. YAML is bounded by its parser, but `picoschema` has other callers.
const MAX_DEPTH: usize = 64;

/// Expands a map of fields.
pub(super) fn expand_fields(
    fields: &Map<String, Value>,
    named: Named<'_>,
    depth: usize,
) -> Result<Value, SchemaError> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    let mut additional = Value::Bool(false);
    for (key, value) in fields {
        let within = |(fault, mut path): SchemaError| {
            path.insert(0, key.clone());
            (fault, path)
        };
        if depth >= MAX_DEPTH {
            return Err((ErrorKind::YamlTooDeep, Vec::new()));
        }
        if key == "(*)" {
            additional = expand_value(value, named, depth + 1).map_err(within)?;
            continue;
        }
        let (name, kind) = split_key(key);
        let (name, optional) = match name.strip_suffix('?') {
            Some(name) => (name, true),
            None => (name, false),
        };
        let schema = expand_field(kind, value, optional, named, depth + 1).map_err(within)?;
        if properties.insert(name.to_owned(), schema).is_some() {
            return Err((ErrorKind::DuplicateKey(name.to_owned()), vec![key.clone()]));
        }
        if !optional {
            required.push(Value::from(name));
        }
    }
    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), Value::Array(required));
    }
    schema.insert("additionalProperties".to_owned(), additional);
    Ok(Value::Object(schema))
}

/// Splits a key into the name and the text after `(`: up to a second `(` or the end, without its last character.
fn split_key(key: &str) -> (&str, Option<&str>) {
    let mut parts = key.split('(');
    let name = parts.next().unwrap_or(key);
    let kind = parts.next().filter(|kind| !kind.is_empty()).map(|kind| {
        let mut characters = kind.chars();
        characters.next_back();
        characters.as_str()
    });
    (name, kind)
}

fn expand_field(
    kind: Option<&str>,
    value: &Value,
    optional: bool,
    named: Named<'_>,
    depth: usize,
) -> Result<Value, SchemaError> {
    let Some(kind) = kind else {
        let mut schema = expand_value(value, named, depth)?;
        allow_null(&mut schema, optional);
        return Ok(schema);
    };
    let (kind, description) = split_description(kind);
    let mut schema = match kind {
        "array" => json!({"type": "array", "items": expand_value(value, named, depth)?}),
        "object" => expand_value(value, named, depth)?,
        "enum" => {
            let Value::Array(values) = value else {
                return Err((ErrorKind::EnumNotAList(type_names::value_kind(value)), Vec::new()));
            };
            let mut values = values.clone();
            if optional && !values.contains(&Value::Null) {
                values.push(Value::Null);
            }
            json!({"enum": values})
        }
        other => return Err((ErrorKind::FieldKind(other.to_owned()), Vec::new())),
    };
    allow_null(&mut schema, optional);
    set_description(&mut schema, description);
    Ok(schema)
}

/// Expands a type, a map of fields, or nothing, which is a map without fields.
fn expand_value(value: &Value, named: Named<'_>, depth: usize) -> Result<Value, SchemaError> {
    match value {
        Value::Null => expand_fields(&Map::new(), named, depth),
        Value::Object(fields) => expand_fields(fields, named, depth),
        Value::String(text) => expand_text(text, named).map_err(|fault| (fault, Vec::new())),
        other => Err((ErrorKind::InvalidSchema(type_names::value_kind(other)), Vec::new())),
    }
}

/// Expands `type, description`.
pub(super) fn expand_text(text: &str, named: Named<'_>) -> Result<Value, ErrorKind> {
    let (word, description) = split_description(text);
    let mut schema = if word == "any" {
        json!({})
    } else if type_names::SCALARS.contains(&word) {
        json!({"type": word})
    } else {
        named(word)
            .ok_or_else(|| ErrorKind::UnknownType(Unknown::new(word, type_names::SCALARS)))?
    };
    set_description(&mut schema, description);
    Ok(schema)
}

fn set_description(schema: &mut Value, description: Option<&str>) {
    if let (Value::Object(schema), Some(description)) = (schema, description) {
        schema.insert("description".to_owned(), description.into());
    }
}

/// Makes the type of an optional field nullable, if its schema has a single type.
fn allow_null(schema: &mut Value, optional: bool) {
    if let (true, Some(kind @ Value::String(_))) = (optional, schema.get_mut("type")) {
        *kind = json!([*kind, "null"]);
    }
}

/// Splits at the first comma, and drops the spaces after it. If there are several lines, only the last line is split.
fn split_description(text: &str) -> (&str, Option<&str>) {
    let last = text.rfind(['\n', '\r', '\u{2028}', '\u{2029}']);
    let line = last
        .map_or(text, |end| text[end..].trim_start_matches(['\n', '\r', '\u{2028}', '\u{2029}']));
    match line.split_once(',') {
        Some((word, description)) => {
            let description = description.trim_start_matches(' ');
            (word, Some(description).filter(|description| !description.is_empty()))
        }
        None => (text, None),
    }
}
