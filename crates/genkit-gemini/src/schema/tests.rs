//! Tests of the schemas sent to Gemini.

use serde_json::{Map, Value, json};

use super::{gemini_json, gemini_subset, is_empty_object};
use genkit_schema::internal::conversion::MAX_NODES;
use genkit_schema::internal::testing::{deep_schema, wide_schema, with_property, zoo_schemas};
use genkit_schema::internal::{Loss, MAX_DEPTH};

fn pointers(degraded: &[Loss]) -> Vec<&str> {
    degraded.iter().map(|one| one.pointer.as_str()).collect()
}

#[test]
fn gemini_json_is_nearly_verbatim() {
    let exact = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            // Names, not keywords.
            "format": { "type": "integer", "format": "uint8", "minimum": 0 },
            "$schema": { "type": "string", "format": "date-time", "x-a": { "format": "uint8" } },
            "any": true,
            "list": { "type": "array", "items": true },
            "one": { "anyOf": [{ "$ref": "#/$defs/A" }, { "const": 1, "format": "uint" }, { "type": "null" }] },
        },
        "additionalProperties": { "type": "number", "format": "double" },
        "default": { "format": "uint8" },
        "$defs": { "A": { "type": "object", "additionalProperties": true } },
    });
    let mut expected = exact.clone();
    expected.as_object_mut().unwrap().remove("$schema");
    expected["properties"]["format"].as_object_mut().unwrap().remove("format");
    expected["properties"]["one"]["anyOf"][1].as_object_mut().unwrap().remove("format");
    expected["properties"]["any"] = json!({});
    expected["properties"]["list"]["items"] = json!({});
    assert_eq!(gemini_json(&exact), expected);
    assert_eq!(gemini_json(&json!(true)), json!({}));
    assert_eq!(gemini_json(&json!(false)), json!(false));
}

#[test]
fn gemini_subset_by_table() {
    let cases = [
        (
            json!({ "type": "string", "format": "uri", "title": "T", "default": "x" }),
            json!({ "type": "STRING" }),
            vec![],
        ),
        (
            json!({ "type": ["integer", "null"], "format": "int32", "minimum": 0 }),
            json!({ "type": "INTEGER", "format": "int32", "minimum": 0, "nullable": true }),
            vec![],
        ),
        (
            json!({ "type": ["string", "integer"], "minLength": 1, "minimum": 2 }),
            json!({ "anyOf": [{ "type": "STRING", "minLength": 1 }, { "type": "INTEGER", "minimum": 2 }] }),
            vec![],
        ),
        (
            json!({ "anyOf": [{ "type": "string" }, { "type": "null" }], "description": "D" }),
            json!({ "type": "STRING", "description": "D", "nullable": true }),
            vec![],
        ),
        (
            json!({ "oneOf": [{ "type": "string" }, { "type": "number" }] }),
            json!({ "anyOf": [{ "type": "STRING" }, { "type": "NUMBER" }] }),
            vec![],
        ),
        (
            json!({ "type": "string", "const": "a" }),
            json!({ "type": "STRING", "enum": ["a"] }),
            vec![],
        ),
        (
            json!({ "enum": ["a", null] }),
            json!({ "type": "STRING", "enum": ["a"], "nullable": true }),
            vec![],
        ),
        (
            json!({ "enum": [1, 2] }),
            json!({ "type": "INTEGER", "description": "One of 1, 2." }),
            vec!["/properties/a/enum"],
        ),
        (
            json!({ "const": true, "description": "D" }),
            json!({ "type": "BOOLEAN", "description": "D\n\nOne of true." }),
            vec!["/properties/a/const"],
        ),
        (
            json!({ "enum": ["a", 1] }),
            json!({ "anyOf": [{ "type": "STRING", "enum": ["a"] }, { "type": "INTEGER", "description": "One of 1." }] }),
            vec!["/properties/a/enum"],
        ),
        (
            json!({ "description": "D", "oneOf": [{ "const": "a", "description": "A\nB" }, { "enum": ["b", "c"] }] }),
            json!({ "type": "STRING", "enum": ["a", "b", "c"], "description": "D\n\n- `a`: A\n  B" }),
            vec![],
        ),
        (
            json!({ "type": "object", "additionalProperties": { "type": "string" } }),
            json!({ "type": "OBJECT" }),
            vec!["/properties/a/additionalProperties"],
        ),
        (
            json!({ "type": "object", "properties": { "b": { "type": "null" } }, "required": ["b", "c"], "additionalProperties": false }),
            json!({ "type": "OBJECT", "properties": { "b": { "type": "NULL" } }, "required": ["b"] }),
            vec![],
        ),
        (
            json!({ "type": "array", "uniqueItems": true }),
            json!({ "type": "ARRAY", "items": {} }),
            vec!["/properties/a/uniqueItems"],
        ),
        (
            json!({ "type": "array", "prefixItems": [{ "type": "string" }, { "type": "string" }], "minItems": 2 }),
            json!({ "type": "ARRAY", "items": { "type": "STRING" }, "minItems": 2 }),
            vec![],
        ),
        (
            json!({ "type": "array", "prefixItems": [{ "type": "string" }, { "type": "number" }] }),
            json!({ "type": "ARRAY", "items": { "anyOf": [{ "type": "STRING" }, { "type": "NUMBER" }] } }),
            vec!["/properties/a/prefixItems"],
        ),
        (
            json!({ "allOf": [{ "type": "object", "properties": { "b": { "type": "string" } } }], "required": ["b"] }),
            json!({ "type": "OBJECT", "properties": { "b": { "type": "STRING" } }, "required": ["b"] }),
            vec![],
        ),
        (
            json!({ "not": { "type": "string" }, "type": "number" }),
            json!({ "type": "NUMBER" }),
            vec!["/properties/a/not"],
        ),
        (
            json!({ "$ref": "#/nowhere", "description": "D" }),
            json!({ "description": "D" }),
            vec!["/properties/a"],
        ),
        (json!(true), json!({}), vec!["/properties/a"]),
        (json!(7), json!({}), vec!["/properties/a"]),
        // Keywords next to a choice apply to each of its branches.
        (
            json!({ "type": "object", "properties": { "q": { "type": "string" } }, "required": ["q"], "anyOf": [{ "properties": { "n": { "type": "number" } }, "required": ["n"] }, {}] }),
            json!({ "anyOf": [
                { "type": "OBJECT", "properties": { "q": { "type": "STRING" }, "n": { "type": "NUMBER" } }, "required": ["q", "n"], "propertyOrdering": ["q", "n"] },
                { "type": "OBJECT", "properties": { "q": { "type": "STRING" } }, "required": ["q"] },
            ] }),
            vec![],
        ),
    ];
    for (exact, expected, lost) in cases {
        let (subset, degraded) = gemini_subset(&with_property(exact.clone()));
        assert_eq!(subset["properties"]["a"], expected, "{exact:#}");
        assert_eq!(pointers(&degraded), lost, "{exact:#}\n{degraded:#?}");
    }
}

#[test]
fn gemini_subset_writes_references_out_and_cuts_circles() {
    let exact = json!({
        "type": "object",
        "properties": { "first": { "$ref": "#/$defs/A", "description": "The first." }, "second": { "$ref": "#/$defs/A" } },
        "$defs": { "A": { "type": "object", "description": "An A.", "properties": { "again": { "$ref": "#/$defs/A" }, "n": { "type": "integer", "format": "int64" } } } },
    });
    let (subset, degraded) = gemini_subset(&exact);
    let a = |description: &str| {
        json!({
            "type": "OBJECT",
            "description": description,
            "properties": { "again": { "type": "OBJECT", "description": "An A." }, "n": { "type": "INTEGER", "format": "int64" } },
            "propertyOrdering": ["again", "n"],
        })
    };
    assert_eq!(subset["properties"], json!({ "first": a("The first."), "second": a("An A.") }));
    assert_eq!(pointers(&degraded), ["/$defs/A/properties/again"]);
}

/// Returns a chain of types that each refer to the next type twice, so that inlining doubles the size with
/// each level.
fn doubling(levels: usize) -> Value {
    let mut defs = Map::new();
    for level in 0..levels {
        let next = json!({ "$ref": format!("#/$defs/L{}", level + 1) });
        let level_type = json!({ "type": "object", "properties": { "a": next, "b": next } });
        defs.insert(format!("L{level}"), level_type);
    }
    defs.insert(format!("L{levels}"), json!({ "type": "string" }));
    json!({ "type": "object", "properties": { "l": { "$ref": "#/$defs/L0" } }, "$defs": defs })
}

fn count(schema: &Value) -> usize {
    let inside: Vec<&Value> = match schema {
        Value::Object(map) => map.values().collect(),
        Value::Array(list) => list.iter().collect(),
        _ => Vec::new(),
    };
    let is_schema = schema.get("type").is_some_and(Value::is_string);
    usize::from(is_schema) + inside.into_iter().map(count).sum::<usize>()
}

#[test]
fn gemini_subset_has_limits() {
    // Inlined, 9 levels are about 1,000 schemas, and 10 levels more than 2,000.
    let (subset, degraded) = gemini_subset(&doubling(9));
    assert!(degraded.is_empty());
    assert!(count(&subset) < MAX_NODES);
    for levels in [10, 20, 30] {
        let (subset, degraded) = gemini_subset(&doubling(levels));
        assert!(!degraded.is_empty());
        assert!(count(&subset) < MAX_NODES, "{levels}");
    }
    // Schemas that are too large even without references. The root counts as one.
    assert!(gemini_subset(&wide_schema(MAX_NODES - 1)).1.is_empty());
    assert_eq!(pointers(&gemini_subset(&wide_schema(MAX_NODES)).1), [""]);
    // The root and the string count as one schema each.
    assert!(gemini_subset(&deep_schema(MAX_DEPTH - 1)).1.is_empty());
    assert_eq!(gemini_subset(&deep_schema(MAX_DEPTH)).1.len(), 1);
    // Choices nested in keywords next to choices double the size too.
    let choices = (0..14).fold(json!({ "type": "string" }), |inner, _| {
        json!({ "type": "object", "properties": { "p": inner }, "anyOf": [{ "required": ["a"] }, { "required": ["b"] }, { "minProperties": 1 }] })
    });
    assert!(count(&gemini_subset(&choices).0) <= MAX_NODES);
}

#[test]
fn schema_collection_is_converted_to_the_gemini_subset() {
    for (name, exact) in zoo_schemas() {
        let (subset, _) = gemini_subset(&exact);
        walk_subset(&subset, &name);
        assert!(!gemini_json(&exact).to_string().contains("\"$schema\""), "{name}");
    }
}

fn walk_subset(schema: &Value, name: &str) {
    const ALLOWED: [&str; 20] = [
        "type",
        "format",
        "description",
        "nullable",
        "enum",
        "items",
        "minItems",
        "maxItems",
        "properties",
        "required",
        "minProperties",
        "maxProperties",
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "pattern",
        "anyOf",
        "propertyOrdering",
        "example",
    ];
    const TYPES: [&str; 7] = ["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"];
    let map = schema.as_object().unwrap_or_else(|| panic!("{name}: {schema}"));
    for (key, value) in map {
        assert!(ALLOWED.contains(&key.as_str()), "{name}: {key} in {schema:#}");
        match key.as_str() {
            "type" => assert!(TYPES.contains(&value.as_str().unwrap()), "{name}: {schema:#}"),
            "enum" => assert!(
                value.as_array().unwrap().iter().all(Value::is_string),
                "{name}: {schema:#}"
            ),
            "anyOf" => {
                assert!(
                    map.keys()
                        .all(|key| ["anyOf", "description", "nullable"].contains(&key.as_str())),
                    "{name}: {schema:#}"
                );
                value.as_array().unwrap().iter().for_each(|branch| walk_subset(branch, name));
            }
            "items" => walk_subset(value, name),
            "properties" => {
                value.as_object().unwrap().values().for_each(|one| walk_subset(one, name))
            }
            "required" => {
                let known = |one: &Value| map["properties"].get(one.as_str().unwrap()).is_some();
                assert!(value.as_array().unwrap().iter().all(known), "{name}: {schema:#}");
            }
            _ => {}
        }
    }
    assert!(
        map.get("type").is_none_or(|kind| kind != "ARRAY" || map.contains_key("items")),
        "{name}"
    );
}

#[test]
fn objects_without_properties() {
    for (schema, expected) in [
        (json!({ "type": "object" }), true),
        (json!({ "type": "OBJECT", "description": "D" }), true),
        (json!({ "type": "object", "properties": {}, "additionalProperties": false }), true),
        (json!({ "type": "object", "properties": { "a": {} } }), false),
        (json!({ "type": "object", "additionalProperties": true }), false),
        (json!({ "type": "object", "anyOf": [] }), false),
        (json!({ "type": "string" }), false),
        (json!({}), false),
        (json!(true), false),
    ] {
        assert_eq!(is_empty_object(&schema), expected, "{schema}");
    }
}
