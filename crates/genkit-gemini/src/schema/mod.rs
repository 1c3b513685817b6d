//! Schemas for Gemini: nearly all of JSON Schema in newer fields, a subset of OpenAPI in older
//! ones.

mod rewriter;
mod typed;

#[cfg(test)]
mod tests;

use serde_json::{Map, Value, json};

use genkit_schema::internal::{Dialect, Loss, MAX_DEPTH, Position, warn_losses};
use rewriter::SubsetRewriter;

/// The limits on nested inlined references, tried in this order if the subset is too large.
const FALLBACK_REFERENCES: [usize; 5] = [8, 4, 2, 1, 0];

/// JSON Schema, as used in `parametersJsonSchema` and `responseJsonSchema`.
pub(super) struct JsonSchemaDialect;

impl Dialect for JsonSchemaDialect {
    fn convert_schema(exact: &Value, _: &str) -> Option<Value> {
        Some(gemini_json(exact))
    }
}

/// The OpenAPI subset, as used in `parameters` and `responseSchema`, the only fields that older
/// models support.
pub(super) struct OpenApiDialect;

impl Dialect for OpenApiDialect {
    fn convert_schema(exact: &Value, owner: &str) -> Option<Value> {
        let (subset, losses) = gemini_subset(exact);
        warn_losses("Gemini", owner, losses);
        Some(subset)
    }
}

/// Returns the JSON Schema without `$schema` and without formats that only schemars uses. Schemas
/// that are `true` become empty schemas.
fn gemini_json(exact: &Value) -> Value {
    let Value::Object(map) = exact else {
        return if *exact == Value::Bool(true) { json!({}) } else { exact.clone() };
    };
    let mut copied = Map::new();
    for (key, value) in map {
        let is_made_up = key == "format" && !value.as_str().is_some_and(is_standard_format);
        if key == "$schema" || is_made_up {
            continue;
        }
        let value = match (Position::of_keyword(key), value) {
            // Booleans are common and supported here.
            (Position::Schema, Value::Bool(_)) => value.clone(),
            (Position::Schema, schema) => gemini_json(schema),
            (Position::List, Value::Array(list)) => list.iter().map(gemini_json).collect(),
            (Position::Named, Value::Object(named)) => {
                let each = named.iter().map(|(name, schema)| (name.clone(), gemini_json(schema)));
                Value::Object(each.collect())
            }
            _ => value.clone(),
        };
        copied.insert(key.clone(), value);
    }
    // `items` does not support a boolean.
    if let Some(items @ Value::Bool(true)) = copied.get_mut("items") {
        *items = json!({});
    }
    Value::Object(copied)
}

/// Returns whether a `format` is defined by JSON Schema or OpenAPI.
fn is_standard_format(format: &str) -> bool {
    const STANDARD: [&str; 26] = [
        "date-time",
        "date",
        "time",
        "duration",
        "email",
        "idn-email",
        "hostname",
        "idn-hostname",
        "ipv4",
        "ipv6",
        "uri",
        "uri-reference",
        "uri-template",
        "iri",
        "iri-reference",
        "uuid",
        "json-pointer",
        "relative-json-pointer",
        "regex",
        "int32",
        "int64",
        "float",
        "double",
        "byte",
        "binary",
        "password",
    ];
    STANDARD.contains(&format)
}

/// Returns the OpenAPI subset of a schema, and the constraints that the subset cannot express.
///
/// References are inlined, and truncated if they are recursive or if the result becomes too large.
/// If a schema is merged from two locations, its pointers refer to the second location, the target
/// of a reference.
fn gemini_subset(exact: &Value) -> (Value, Vec<Loss>) {
    let mut limits = std::iter::once(MAX_DEPTH).chain(FALLBACK_REFERENCES);
    limits
        .find_map(|references| {
            let mut rewriter = SubsetRewriter::new(exact, references);
            let subset = rewriter.rewrite_schema(exact, "");
            // A subset without references is the smallest form.
            rewriter.into_losses(references == 0).map(|degraded| (subset, degraded))
        })
        .unwrap_or_default()
}

/// Returns whether a schema describes an object without properties, which some models reject as the
/// parameters of a tool.
pub(super) fn is_empty_object(schema: &Value) -> bool {
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
    let has_none = |properties: &Value| properties.as_object().is_none_or(Map::is_empty);
    is_object && map.get("properties").is_none_or(has_none) && !SAY_MORE.iter().any(says_more)
}
