//! The schemas that Ollama reads: those of tools into a type with few fields, that of an answer into a grammar.

use serde_json::{Map, Value, json};

use genkit_schema::internal::{Dialect, portable};

/// What Ollama reads of the schema of a tool; it drops other keywords without a word, and refuses `true` as a schema.
pub(super) struct ToolDialect;

/// How deep a schema is looked at. Default is 32.
const MAX_DEPTH: usize = 32;

impl Dialect for ToolDialect {
    /// A schema that says what it means in other keywords is rewritten without them.
    fn convert(exact: &Value, owner: &str) -> Option<Value> {
        let is_object = exact.get("type").is_some_and(|it| it == "object");
        if is_object && is_read(exact, MAX_DEPTH) {
            return Some(without_schema(exact));
        }
        let portable = portable(exact);
        for lost in portable.degraded {
            tracing::warn!(
                owner,
                pointer = lost.pointer,
                remedy = lost.remedy,
                "a schema says less to Ollama: {}",
                lost.what
            );
        }
        Some(portable.schema)
    }
}

/// Whether nothing of what a schema means stands in a keyword that is dropped. Bounds do: a call is checked against
/// them, and the model is told.
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

/// What can be made into a grammar.
pub(super) struct GrammarDialect;

impl Dialect for GrammarDialect {
    fn convert(exact: &Value, owner: &str) -> Option<Value> {
        let mut grammar = without_schema(exact);
        tidy(&mut grammar, owner);
        Some(grammar)
    }
}

/// Keywords that say which values there are; a schema without any is none to the grammar.
const SAYS: [&str; 10] = [
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

/// Writes out what fits any value, and drops a pattern that does not say where it begins and ends.
fn tidy(schema: &mut Value, owner: &str) {
    if *schema == Value::Bool(true) {
        *schema = json!({});
    }
    let Value::Object(map) = schema else { return };
    if !SAYS.iter().any(|key| map.contains_key(*key)) {
        let any = json!(["object", "array", "string", "number", "boolean", "null"]);
        map.insert("type".to_owned(), any);
    }
    let is_open = |pattern: &str| !(pattern.starts_with('^') && pattern.ends_with('$'));
    if map.get("pattern").and_then(Value::as_str).is_some_and(is_open) {
        map.shift_remove("pattern");
        tracing::warn!(
            owner,
            "a schema says less to Ollama: a `pattern` is left out, since it does not begin with `^` and end with `$`"
        );
    }
    for (key, value) in map.iter_mut() {
        match (key.as_str(), value) {
            ("properties" | "$defs" | "definitions", Value::Object(named)) => each(named, owner),
            ("items", schema) => tidy(schema, owner),
            // Here `true` is known, and the usual case.
            ("additionalProperties", schema @ Value::Object(_)) => tidy(schema, owner),
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(list)) => {
                list.iter_mut().for_each(|schema| tidy(schema, owner));
            }
            _ => {}
        }
    }
}

fn each(named: &mut Map<String, Value>, owner: &str) {
    named.values_mut().for_each(|schema| tidy(schema, owner));
}
