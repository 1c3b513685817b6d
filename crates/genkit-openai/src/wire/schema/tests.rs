//! Tests of the schemas sent to OpenAI.

use serde_json::{Map, Value, json};

use super::rewriter::MAX_SCHEMAS;
use super::{openai_strict, should_warn};
use genkit_schema::internal::MAX_DEPTH;
use genkit_schema::internal::testing::{deep_schema, wide_schema, with_property, zoo_schemas};

#[test]
fn openai_strict_by_table() {
    let cases = [
        (
            json!({ "type": "integer", "format": "uint8", "default": 5, "maximum": 9, "description": "D." }),
            json!({ "type": "integer", "description": "D. Default: 5.", "maximum": 9 }),
        ),
        (
            json!({ "type": "string", "format": "uuid", "x-a": 1, "examples": ["b", "c"], "$comment": "c" }),
            json!({ "type": "string", "description": "Examples: \"b\", \"c\".", "format": "uuid" }),
        ),
        (
            json!({ "type": "string", "pattern": "a", "default": null, "deprecated": true }),
            json!({ "type": "string", "description": "Deprecated.", "pattern": "a" }),
        ),
        (json!({ "const": "a" }), json!({ "type": "string", "const": "a" })),
        (json!({ "enum": ["a", 1] }), json!({ "type": ["string", "integer"], "enum": ["a", 1] })),
        (json!({ "$ref": "#/$defs/A" }), json!({ "$ref": "#/$defs/A" })),
        (
            json!({ "$ref": "#/$defs/A", "description": "D", "default": {} }),
            json!({ "description": "D Default: {}.", "anyOf": [{ "$ref": "#/$defs/A" }] }),
        ),
        (
            json!({ "$ref": "#/$defs/A", "properties": { "k": { "const": "x", "type": "string" } }, "required": ["k"] }),
            json!({
                "type": "object",
                "properties": { "n": { "type": ["number", "null"] }, "k": { "type": "string", "const": "x" } },
                "required": ["n", "k"],
                "additionalProperties": false,
            }),
        ),
        (
            json!({ "oneOf": [{ "type": "string" }, { "$ref": "#" }], "description": "D" }),
            json!({ "description": "D", "anyOf": [{ "type": "string" }, { "$ref": "#" }] }),
        ),
        (
            json!({ "type": "object", "additionalProperties": false }),
            json!({ "type": "object", "properties": {}, "required": [], "additionalProperties": false }),
        ),
        (
            json!({ "type": "array", "prefixItems": [{ "type": "number" }, { "type": "number" }], "minItems": 2, "maxItems": 2 }),
            json!({ "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 2 }),
        ),
        (
            json!({ "type": "array", "prefixItems": [{ "type": "number" }, { "type": "number" }], "items": false }),
            json!({ "type": "array", "items": { "type": "number" }, "maxItems": 2 }),
        ),
        (
            json!({ "type": "object", "oneOf": [{ "type": "object", "properties": { "k": { "const": 1 } }, "required": ["k"] }] }),
            json!({ "anyOf": [{
                "type": "object",
                "properties": { "k": { "type": "integer", "const": 1 } },
                "required": ["k"],
                "additionalProperties": false,
            }] }),
        ),
    ];
    for (exact, expected) in cases {
        let mut root = with_property(exact.clone());
        root["$defs"] =
            json!({ "A": { "type": "object", "properties": { "n": { "type": "number" } } } });
        let strict = openai_strict(&root).unwrap_or_else(|error| panic!("{exact}: {error}"));
        assert_eq!(strict["properties"]["a"], expected, "{exact:#}");
        assert_eq!(strict["$defs"]["A"]["required"], json!(["n"]));
    }
}

#[test]
fn openai_strict_makes_what_is_optional_nullable() {
    let nil = json!({ "type": "null" });
    let cases = [
        (json!({ "type": "string" }), json!({ "type": ["string", "null"] })),
        (json!({ "type": ["string", "null"] }), json!({ "type": ["string", "null"] })),
        (json!({ "type": "null" }), json!({ "type": "null" })),
        (
            json!({ "enum": ["a"], "description": "D" }),
            json!({ "description": "D", "anyOf": [{ "type": "string", "enum": ["a"] }, nil] }),
        ),
        (
            json!({ "const": "a", "description": "D" }),
            json!({ "description": "D", "anyOf": [{ "type": "string", "const": "a" }, nil] }),
        ),
        (json!({ "$ref": "#" }), json!({ "anyOf": [{ "$ref": "#" }, nil] })),
        (
            json!({ "$ref": "#", "description": "D" }),
            json!({ "description": "D", "anyOf": [{ "$ref": "#" }, nil] }),
        ),
        (json!({ "anyOf": [{ "$ref": "#" }, nil] }), json!({ "anyOf": [{ "$ref": "#" }, nil] })),
        (
            json!({ "oneOf": [{ "type": "string" }, { "type": "number" }] }),
            json!({ "anyOf": [{ "type": "string" }, { "type": "number" }, nil] }),
        ),
    ];
    for (exact, expected) in cases {
        let strict =
            openai_strict(&json!({ "type": "object", "properties": { "a": exact } })).unwrap();
        assert_eq!(strict["properties"]["a"], expected, "{exact:#}");
        assert_eq!(strict["required"], json!(["a"]));
    }
}

#[test]
fn openai_strict_names_the_first_unsupported_position() {
    let roots = [
        (json!({ "type": "array", "items": { "type": "string" } }), "the root"),
        (json!({ "type": ["object", "null"] }), "the root"),
        (json!({ "type": "object", "anyOf": [] }), "the root"),
        (json!({ "$ref": "#/$defs/A" }), "the root"),
        (json!(true), "the root"),
        (json!({ "type": "object", "additionalProperties": true }), "`/additionalProperties`"),
        (json!({ "type": "object", "properties": {}, "required": ["b"] }), "\"b\" is required"),
        (json!({ "type": "object", "$defs": { "A/B": {} } }), "`/$defs/A~1B`"),
    ];
    let inside = [
        (json!(true), "`/properties/a`"),
        (json!({}), "`/properties/a`"),
        (json!({ "description": "Any JSON." }), "`/properties/a`"),
        (json!({ "type": "object" }), "`/properties/a`"),
        (
            json!({ "type": "object", "additionalProperties": { "type": "string" } }),
            "`/properties/a/additionalProperties`",
        ),
        (json!({ "type": "object", "patternProperties": {} }), "`/properties/a/patternProperties`"),
        (json!({ "allOf": [] }), "`/properties/a/allOf`"),
        (json!({ "not": {} }), "`/properties/a/not`"),
        (json!({ "type": "array" }), "`/properties/a`"),
        (
            json!({ "type": "array", "prefixItems": [{ "type": "string" }, { "type": "number" }] }),
            "`/properties/a/prefixItems`",
        ),
        (json!({ "type": "object", "properties": {}, "anyOf": [] }), "`/properties/a/properties`"),
        (json!({ "type": "string", "maxLength": 5 }), "`/properties/a/maxLength`"),
        (json!({ "type": "string", "minLength": 1 }), "`/properties/a/minLength`"),
        (
            json!({ "type": ["array", "null"], "items": { "type": "string" }, "uniqueItems": true }),
            "`/properties/a/uniqueItems`",
        ),
        (json!({ "type": "string", "format": "uri" }), "`/properties/a/format`"),
        (
            json!({ "type": "string", "contentEncoding": "base64" }),
            "`/properties/a/contentEncoding`",
        ),
        (json!({ "type": "object", "minProperties": 1 }), "`/properties/a/minProperties`"),
        (json!({ "type": "string", "anyOf": [{ "pattern": "a" }] }), "`/properties/a/type`"),
        (json!({ "anyOf": [{ "type": "string" }], "maxLength": 5 }), "`/properties/a/maxLength`"),
        (json!({ "anyOf": [{ "type": "string" }], "minimum": 5 }), "`/properties/a/minimum`"),
        (json!({ "$ref": "#/$defs/S", "maxLength": 5 }), "`/properties/a/maxLength`"),
        (json!({ "$ref": "#/$defs/S", "pattern": "b" }), "`/properties/a/pattern`"),
        (json!({ "$ref": "#/$defs/S/deeper" }), "does not exist"),
        (json!({ "$ref": "#/properties/b" }), "is not a definition"),
        (json!({ "type": "object", "$defs": {} }), "`/properties/a/$defs`"),
        (
            json!({ "type": "array", "prefixItems": [{ "type": "string" }], "items": { "type": "number" } }),
            "`/properties/a`",
        ),
        (json!({ "anyOf": [{ "type": "string" }, {}] }), "`/properties/a/anyOf/1`"),
        (json!({ "$ref": "other.json" }), "`/properties/a`"),
        (json!({ "$ref": "#/properties/a", "properties": {} }), "is recursive"),
    ];
    let inside = inside.map(|(exact, place)| {
        let mut root = with_property(exact);
        root["properties"]["b"] = json!({ "type": "string" });
        root["$defs"] = json!({ "S": { "type": "string", "pattern": "a" } });
        (root, place)
    });
    for (exact, place) in roots.into_iter().chain(inside) {
        let error = openai_strict(&exact).unwrap_err();
        assert!(error.contains(place), "{exact}: {error}");
    }
}

#[test]
fn schema_collection_is_converted_to_strict_openai() {
    let (mut said, mut unsaid) = (Vec::new(), Vec::new());
    for (name, exact) in zoo_schemas() {
        match openai_strict(&exact) {
            Ok(strict) => {
                assert_eq!(strict["type"], "object", "{name}");
                walk_strict(&strict, &strict, &name);
                said.push(name);
            }
            Err(error) => {
                assert!(error.starts_with("at "), "{name}: {error}");
                unsaid.push(format!("{name}: {error}"));
            }
        }
    }
    for name in [
        "linked_list",
        "tree",
        "nested",
        "defaults",
        "enum_tagged_field",
        "recursive_field",
        "no_args",
    ] {
        assert!(said.contains(&format!("{name} exact")), "{name}: {unsaid:#?}");
    }
    for name in
        ["maps", "json", "json_root", "map_root", "tuples", "flattened", "flattened_enum", "string"]
    {
        assert!(!said.contains(&format!("{name} exact")), "{name}");
    }
}

fn walk_strict(schema: &Value, root: &Value, name: &str) {
    const ALLOWED: [&str; 21] = [
        "type",
        "title",
        "description",
        "enum",
        "const",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "anyOf",
        "$ref",
        "$defs",
        "pattern",
        "format",
        "multipleOf",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "minItems",
        "maxItems",
    ];
    let map = schema.as_object().unwrap_or_else(|| panic!("{name}: {schema}"));
    assert!(map.keys().all(|key| ALLOWED.contains(&key.as_str())), "{name}: {schema:#}");
    let is_object = map.get("type").is_some_and(|kind| {
        kind == "object" || kind.as_array().is_some_and(|all| all.contains(&json!("object")))
    });
    assert!(
        ["type", "anyOf", "$ref"].iter().filter(|key| map.contains_key(**key)).count() == 1,
        "{name}: {schema:#}"
    );
    if is_object {
        let names: Vec<_> = map["properties"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(map["required"], json!(names), "{name}: {schema:#}");
        assert_eq!(map["additionalProperties"], false, "{name}: {schema:#}");
    }
    if let Some(reference) = map.get("$ref") {
        assert_eq!(map.len(), 1, "{name}: {schema:#}");
        let pointer = reference.as_str().unwrap().strip_prefix('#').unwrap();
        assert!(root.pointer(pointer).is_some(), "{name}: {reference}");
    }
    for key in ["properties", "$defs"] {
        for inner in map.get(key).and_then(Value::as_object).into_iter().flat_map(Map::values) {
            walk_strict(inner, root, name);
        }
    }
    for inner in
        map.get("anyOf").and_then(Value::as_array).into_iter().flatten().chain(map.get("items"))
    {
        walk_strict(inner, root, name);
    }
}

#[test]
fn each_reason_is_reported_once() {
    let told = ["Dish", "Dish", "Cup"].map(|owner| should_warn(owner, "at `/a`: a negation"));
    assert_eq!(told, [true, false, true]);
    assert!(should_warn("Dish", "at `/b`: a negation"));
}

#[test]
fn bound_in_a_definition_under_a_union_is_not_lost() {
    let exact = json!({
        "type": "object",
        "properties": { "by": { "anyOf": [{ "$ref": "#/$defs/Code" }, { "const": "all" }] } },
        "required": ["by"],
        "$defs": { "Code": { "type": "string", "maxLength": 3 } },
    });
    let error = openai_strict(&exact).unwrap_err();
    assert_eq!(error, "at `/$defs/Code/maxLength`: a limit on the length of a string");
}

#[test]
fn openai_strict_has_limits() {
    assert!(openai_strict(&wide_schema(MAX_SCHEMAS)).is_ok());
    assert!(openai_strict(&wide_schema(MAX_SCHEMAS + 1)).unwrap_err().contains("too large"));
    assert!(openai_strict(&with_property(deep_schema(MAX_DEPTH - 1))).is_ok());
    assert!(
        openai_strict(&with_property(deep_schema(MAX_DEPTH))).unwrap_err().contains("too deep")
    );
}
