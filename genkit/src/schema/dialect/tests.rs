//! Dialects by table, and over the zoo of types.

use std::{fs, path::PathBuf};

use serde_json::{Map, Value, json};

use super::{
    Degraded, gemini_json, gemini_subset, is_empty_object, openai::MAX_SCHEMAS, openai_strict,
};
use crate::schema::portable::{MAX_DEPTH, MAX_NODES};

/// Each exact schema of the zoo, those of results as well.
fn zoo() -> Vec<(String, Value)> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/schemas"));
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let golden: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        for key in ["exact", "exact_output"] {
            if let Some(exact) = golden.get(key) {
                all.push((format!("{} {key}", path.file_stem().unwrap().display()), exact.clone()));
            }
        }
    }
    assert!(all.len() >= 51, "{}", all.len());
    all
}

fn property(schema: Value) -> Value {
    json!({ "type": "object", "properties": { "a": schema }, "required": ["a"] })
}

fn pointers(degraded: &[Degraded]) -> Vec<&str> {
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
        // What is beside a choice holds in each of its branches.
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
        let (subset, degraded) = gemini_subset(&property(exact.clone()));
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

/// A type that names another twice, and so on: written out it doubles with each.
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
    // Two to the power of 10 leaves, less than twice as many schemas.
    let (subset, degraded) = gemini_subset(&doubling(9));
    assert!(degraded.is_empty());
    assert!(count(&subset) < MAX_NODES);
    for levels in [10, 20, 30] {
        let (subset, degraded) = gemini_subset(&doubling(levels));
        assert!(!degraded.is_empty());
        assert!(count(&subset) < MAX_NODES, "{levels}");
    }
    // Too large without references.
    let wide = |count: usize| {
        let all: Map<_, _> =
            (0..count).map(|n| (format!("p{n}"), json!({ "type": "string" }))).collect();
        json!({ "type": "object", "properties": all })
    };
    assert!(gemini_subset(&wide(MAX_NODES - 1)).1.is_empty());
    assert_eq!(pointers(&gemini_subset(&wide(MAX_NODES)).1), [""]);
    assert!(openai_strict(&wide(MAX_SCHEMAS)).is_ok());
    assert!(openai_strict(&wide(MAX_SCHEMAS + 1)).unwrap_err().contains("too large"));
    let deep = |depth: usize| {
        (0..depth).fold(
            json!({ "type": "string" }),
            |inner, _| json!({ "type": "array", "items": inner }),
        )
    };
    // The root and the string take one each.
    assert!(gemini_subset(&deep(MAX_DEPTH - 1)).1.is_empty());
    assert_eq!(gemini_subset(&deep(MAX_DEPTH)).1.len(), 1);
    assert!(openai_strict(&property(deep(MAX_DEPTH - 1))).is_ok());
    assert!(openai_strict(&property(deep(MAX_DEPTH))).unwrap_err().contains("too deep"));
    // Choices inside of what is beside choices double, too.
    let choices = (0..14).fold(json!({ "type": "string" }), |inner, _| {
        json!({ "type": "object", "properties": { "p": inner }, "anyOf": [{ "required": ["a"] }, { "required": ["b"] }, { "minProperties": 1 }] })
    });
    assert!(count(&gemini_subset(&choices).0) <= MAX_NODES);
}

#[test]
fn openai_strict_by_table() {
    let cases = [
        (
            json!({ "type": "string", "format": "uint8", "default": "x", "minLength": 1, "pattern": "a" }),
            json!({ "type": "string", "pattern": "a" }),
        ),
        (
            json!({ "type": "string", "format": "uuid", "x-a": 1, "examples": ["b"] }),
            json!({ "type": "string", "format": "uuid" }),
        ),
        (json!({ "const": "a" }), json!({ "type": "string", "const": "a" })),
        (json!({ "enum": ["a", 1] }), json!({ "type": ["string", "integer"], "enum": ["a", 1] })),
        (json!({ "$ref": "#/$defs/A" }), json!({ "$ref": "#/$defs/A" })),
        (
            json!({ "$ref": "#/$defs/A", "description": "D", "default": {} }),
            json!({ "description": "D", "anyOf": [{ "$ref": "#/$defs/A" }] }),
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
            json!({ "type": "object" }),
            json!({ "type": "object", "properties": {}, "required": [], "additionalProperties": false }),
        ),
        (
            json!({ "type": "array", "prefixItems": [{ "type": "number" }, { "type": "number" }], "minItems": 2, "maxItems": 2 }),
            json!({ "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 2 }),
        ),
    ];
    for (exact, expected) in cases {
        let mut root = property(exact.clone());
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
        (json!({ "enum": ["a"] }), json!({ "type": ["string", "null"], "enum": ["a", null] })),
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
fn openai_strict_names_the_first_place_that_it_cannot_say() {
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
        (json!({ "type": "object", "properties": {}, "anyOf": [] }), "`/properties/a`"),
        (json!({ "anyOf": [{ "type": "string" }, {}] }), "`/properties/a/anyOf/1`"),
        (json!({ "$ref": "other.json" }), "`/properties/a`"),
        (json!({ "$ref": "#/properties/a", "properties": {} }), "contains itself"),
    ];
    let inside = inside.map(|(exact, place)| (property(exact), place));
    for (exact, place) in roots.into_iter().chain(inside) {
        let error = openai_strict(&exact).unwrap_err();
        assert!(error.contains(place), "{exact}: {error}");
    }
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

#[test]
fn the_zoo_in_the_subset_of_gemini() {
    for (name, exact) in zoo() {
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
fn the_zoo_in_strict_openai() {
    let (mut said, mut unsaid) = (Vec::new(), Vec::new());
    for (name, exact) in zoo() {
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
