//! Schemas for Ollama: a small subset for tools, and a grammar for output.

use serde_json::{Map, Value, json};

use genkit_schema::internal::{Dialect, portable, warn_losses};

/// The schema of a tool. Ollama reads only a few keywords, silently ignores all others, and rejects `true` as a schema.
pub(super) struct ToolDialect;

/// The maximum depth of a schema that is checked. Default is 32.
const MAX_DEPTH: usize = 32;

impl Dialect for ToolDialect {
    /// Rewrites a schema that depends on unsupported keywords.
    fn convert_schema(exact: &Value, owner: &str) -> Option<Value> {
        let is_object = exact.get("type").is_some_and(|it| it == "object");
        if is_object && is_read(exact, MAX_DEPTH) {
            return Some(without_schema(exact));
        }
        let portable = portable(exact);
        warn_losses("Ollama", owner, portable.degraded);
        Some(portable.schema)
    }
}

/// Returns whether the meaning of a schema does not depend on ignored keywords. Limits are allowed,
/// because calls are checked against them, and the model is informed of errors.
fn is_read(schema: &Value, depth: usize) -> bool {
    const DROPPED: [&str; 5] = ["$ref", "oneOf", "allOf", "const", "prefixItems"];
    let Value::Object(map) = schema else { return false };
    let named = map.get("properties").and_then(Value::as_object).into_iter().flatten();
    let branches = map.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    let inner = named.map(|(_, schema)| schema).chain(branches).chain(map.get("items"));
    depth > 0
        && !DROPPED.iter().any(|key| map.contains_key(*key))
        && inner.into_iter().all(|schema| is_read(schema, depth - 1))
}

fn without_schema(exact: &Value) -> Value {
    let mut schema = exact.clone();
    if let Some(map) = schema.as_object_mut() {
        map.shift_remove("$schema");
    }
    schema
}

/// The schema of the output, which Ollama converts to a grammar.
pub(super) struct GrammarDialect;

impl Dialect for GrammarDialect {
    fn convert_schema(exact: &Value, owner: &str) -> Option<Value> {
        let mut grammar = without_schema(exact);
        tidy_schema(&mut grammar, owner);
        Some(grammar)
    }
}

/// The keywords that constrain a value. The grammar does not support a schema without any of them.
const CONSTRAINING_KEYWORDS: [&str; 10] = [
    "type",
    "$ref",
    "anyOf",
    "oneOf",
    "allOf",
    "const",
    "enum",
    "properties",
    "items",
    "prefixItems",
];

/// Replaces a schema that accepts any value with the list of all types, and removes a pattern that is not anchored.
fn tidy_schema(schema: &mut Value, owner: &str) {
    if *schema == Value::Bool(true) {
        *schema = json!({});
    }
    let Value::Object(map) = schema else { return };
    if !CONSTRAINING_KEYWORDS.iter().any(|key| map.contains_key(*key)) {
        let any = json!(["object", "array", "string", "number", "boolean", "null"]);
        map.insert("type".to_owned(), any);
    }
    let is_open = |pattern: &str| !(pattern.starts_with('^') && pattern.ends_with('$'));
    if map.get("pattern").and_then(Value::as_str).is_some_and(is_open) {
        map.shift_remove("pattern");
        tracing::warn!(
            owner,
            "a schema loses information for Ollama: a `pattern` is left out because it does not begin with `^` and end with `$`"
        );
    }
    for (key, value) in map.iter_mut() {
        match (key.as_str(), value) {
            ("properties" | "$defs" | "definitions", Value::Object(named)) => {
                tidy_named(named, owner)
            }
            ("items", schema) => tidy_schema(schema, owner),
            // `true` is common and supported here.
            ("additionalProperties", schema @ Value::Object(_)) => tidy_schema(schema, owner),
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(list)) => {
                list.iter_mut().for_each(|schema| tidy_schema(schema, owner));
            }
            _ => {}
        }
    }
}

fn tidy_named(named: &mut Map<String, Value>, owner: &str) {
    named.values_mut().for_each(|schema| tidy_schema(schema, owner));
}
