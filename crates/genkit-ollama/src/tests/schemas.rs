use serde_json::{Value, json};

use crate::schema::{GrammarDialect, ToolDialect};
use genkit_schema::internal::Dialect as _;

fn tool(exact: Value) -> Value {
    ToolDialect::convert_schema(&exact, "t").unwrap()
}

fn grammar(exact: Value) -> Value {
    GrammarDialect::convert_schema(&exact, "t").unwrap()
}

#[test]
fn compatible_tool_schema_is_unchanged() {
    let exact = json!({"$schema": "x", "type": "object", "properties": {
        "a": {"type": ["string", "null"], "maxLength": 3}, "b": {"type": "array", "items": {"type": "integer"}},
        "c": {"anyOf": [{"type": "string"}, {"type": "number"}]}}, "required": ["a"], "additionalProperties": false});
    let mut same = exact.clone();
    same.as_object_mut().unwrap().remove("$schema");
    assert_eq!(tool(exact), same);
}

#[test]
fn unsupported_keywords_are_rewritten() {
    let sent = tool(json!({"type": "object", "properties": {
        "a": {"$ref": "#/$defs/A"}, "b": {"const": "x"}, "c": {"oneOf": [{"type": "string"}, {"type": "number"}]},
        "d": true, "e": {"type": "array", "items": {"$ref": "#/$defs/A"}}},
        "$defs": {"A": {"type": "object", "properties": {"n": {"type": "integer"}}}}}));
    assert_eq!(sent["properties"]["a"]["properties"]["n"]["type"], "integer");
    assert_eq!(sent["properties"]["b"]["enum"], json!(["x"]));
    assert!(sent["properties"]["c"]["anyOf"].is_array());
    assert!(sent["properties"]["d"].is_object(), "a boolean is rejected");
    assert_eq!(sent["properties"]["e"]["items"]["type"], "object");
    assert!(!sent.to_string().contains("$ref"), "{sent}");
}

#[test]
fn schema_in_circles_ends() {
    let sent = tool(json!({"type": "object", "properties": {"next": {"$ref": "#"}}}));
    assert!(sent["properties"]["next"].is_object());
    let mut deep = json!({"type": "string"});
    for _ in 0..100 {
        deep = json!({"type": "object", "properties": {"a": deep}});
    }
    assert_eq!(tool(deep)["type"], "object");
}

#[test]
fn grammar_requires_typed_schemas() {
    let any = json!(["object", "array", "string", "number", "boolean", "null"]);
    let sent = grammar(
        json!({"$schema": "x", "type": "object", "additionalProperties": false, "properties": {
        "a": true, "b": {"description": "any"}, "c": {"type": "string", "pattern": "^a+$"},
        "d": {"type": "string", "pattern": "a+"}, "pattern": {"type": "string"},
        "e": {"$ref": "#/$defs/E"}}, "$defs": {"E": {"enum": [1, 2]}}}),
    );
    assert_eq!(
        sent,
        json!({"type": "object", "additionalProperties": false, "properties": {
            "a": {"type": any}, "b": {"description": "any", "type": any}, "c": {"type": "string", "pattern": "^a+$"},
            "d": {"type": "string"}, "pattern": {"type": "string"},
            "e": {"$ref": "#/$defs/E"}}, "$defs": {"E": {"enum": [1, 2]}}})
    );
}
