//! Schemas of other drafts, and schemas that follow no draft, become schemas of draft 2020-12.

use genkit_schema::Schema;
use genkit_schema::internal::{Patterns, Repaired, repair};
use serde_json::{Value, json};

/// Returns a repaired schema, and the pointers of the losses.
fn repaired(schema: Value) -> (Value, Vec<String>) {
    let Repaired { schema, losses } = repair(schema, Patterns::Supported);
    assert_eq!(repair(schema.clone(), Patterns::Supported).schema, schema, "is idempotent");
    (schema, losses.into_iter().map(|loss| loss.pointer).collect())
}

#[test]
fn schema_of_2020_12_is_unchanged() {
    let schema = json!({
        "type": "object", "title": "T", "description": "d", "additionalProperties": false,
        "required": ["a"],
        "properties": {
            "a": { "type": "array", "items": { "$ref": "#/$defs/node" }, "minItems": 1 },
            "b": { "anyOf": [{ "const": 1 }, { "type": "string", "pattern": "^a+$" }] },
            "c": { "type": ["string", "null"], "enum": ["x", null], "default": "x" },
            "x-own": { "type": "number", "exclusiveMinimum": 0.5 }
        },
        "$defs": { "node": { "type": "object", "properties": { "next": { "$ref": "#/$defs/node" } } } }
    });
    assert_eq!(repaired(schema.clone()), (schema, Vec::new()));
}

#[test]
fn older_drafts_become_2020_12_without_loss() {
    let cases = [
        (json!({ "id": "x", "$schema": "s", "type": "object" }), json!({ "type": "object" })),
        (
            json!({ "items": [{ "type": "string" }], "additionalItems": false }),
            json!({ "prefixItems": [{ "type": "string" }], "items": false }),
        ),
        (
            json!({ "minimum": 1, "exclusiveMinimum": true, "maximum": 9, "exclusiveMaximum": false }),
            json!({ "maximum": 9, "exclusiveMinimum": 1 }),
        ),
        (json!({ "divisibleBy": 2 }), json!({ "multipleOf": 2 })),
        (json!({ "extends": { "type": "object" } }), json!({ "allOf": [{ "type": "object" }] })),
        (json!({ "disallow": "string" }), json!({ "not": { "type": "string" } })),
        (
            json!({ "dependencies": { "a": ["b"], "c": { "required": ["d"] }, "e": "f" } }),
            json!({
                "dependentRequired": { "a": ["b"], "e": ["f"] },
                "dependentSchemas": { "c": { "required": ["d"] } }
            }),
        ),
        (
            json!({ "properties": { "a": { "type": "string", "required": true }, "b": { "required": false } } }),
            json!({ "properties": { "a": { "type": "string" }, "b": {} }, "required": ["a"] }),
        ),
        (
            json!({ "type": ["string", { "type": "number" }] }),
            json!({ "anyOf": [{ "type": "string" }, { "type": "number" }] }),
        ),
        (json!({ "type": "string", "nullable": true }), json!({ "type": ["string", "null"] })),
        (json!({ "type": "string", "nullable": false }), json!({ "type": "string" })),
        (
            json!({ "oneOf": [{ "type": "string" }], "nullable": true }),
            json!({ "anyOf": [{ "oneOf": [{ "type": "string" }] }, { "type": "null" }] }),
        ),
        (
            json!({ "type": "string", "example": "a" }),
            json!({ "type": "string", "examples": ["a"] }),
        ),
        (json!({ "type": "any" }), json!({})),
        (json!({ "type": "INTEGER" }), json!({ "type": "integer" })),
        (json!({ "type": ["string"] }), json!({ "type": "string" })),
        (json!({ "if": { "type": "string" } }), json!({})),
    ];
    for (old, new) in cases {
        assert_eq!(repaired(old.clone()), (new, Vec::new()), "{old}");
    }
}

#[test]
fn keywords_of_the_wrong_type_are_repaired_or_removed() {
    let cases = [
        (
            json!({ "type": "object", "properties": null, "required": null }),
            json!({ "type": "object" }),
            0,
        ),
        (json!({ "properties": { "a": null } }), json!({ "properties": { "a": {} } }), 1),
        (
            json!({ "properties": { "a": "string" } }),
            json!({ "properties": { "a": { "type": "string" } } }),
            0,
        ),
        (
            json!({ "properties": { "a": true, "b": 5 } }),
            json!({ "properties": { "a": {}, "b": {} } }),
            1,
        ),
        (
            json!({ "properties": [{ "name": "a", "type": "string" }] }),
            json!({ "properties": { "a": { "type": "string" } } }),
            0,
        ),
        (json!({ "properties": ["a"] }), json!({}), 1),
        (json!({ "type": "array" }), json!({ "type": "array", "items": {} }), 0),
        (json!({ "type": "array", "items": null }), json!({ "type": "array", "items": {} }), 0),
        (
            json!({ "type": ["array", "null"] }),
            json!({ "type": ["array", "null"], "items": {} }),
            0,
        ),
        (json!({ "type": "array", "items": true }), json!({ "type": "array", "items": {} }), 0),
        (json!({ "prefixItems": [{}] }), json!({ "prefixItems": [{}], "items": {} }), 0),
        (json!({ "anyOf": {} }), json!({ "anyOf": [{}] }), 0),
        (json!({ "anyOf": [], "oneOf": null, "allOf": 3 }), json!({}), 1),
        (
            json!({ "anyOf": [null, { "type": "null" }] }),
            json!({ "anyOf": [{ "type": "null" }] }),
            1,
        ),
        (json!({ "enum": "a" }), json!({ "enum": ["a"] }), 0),
        (json!({ "enum": [] }), json!({}), 1),
        (json!({ "enum": ["a", "a", "b"] }), json!({ "enum": ["a", "b"] }), 0),
        (
            json!({ "type": "string", "enum": ["a", null, 1] }),
            json!({ "type": "string", "enum": ["a", "1"] }),
            1,
        ),
        (
            json!({ "type": "integer", "enum": ["1", "2"] }),
            json!({ "type": "integer", "enum": [1, 2] }),
            0,
        ),
        (
            json!({ "minimum": "3", "maxLength": 5.0, "minLength": -1 }),
            json!({ "minimum": 3, "maxLength": 5 }),
            1,
        ),
        (json!({ "multipleOf": 0, "uniqueItems": "true" }), json!({ "uniqueItems": true }), 1),
        (json!({ "required": "a" }), json!({ "required": ["a"] }), 0),
        (json!({ "required": ["a", "a", 3] }), json!({ "required": ["a"] }), 1),
        (json!({ "description": ["a", "b"], "title": null }), json!({ "description": "a\nb" }), 0),
        (json!({ "additionalProperties": null }), json!({}), 0),
        (json!({ "type": ["string", "foo"] }), json!({ "type": "string" }), 1),
        (json!({ "type": "foo" }), json!({}), 1),
        (json!({ "type": null }), json!({}), 0),
        (
            json!({ "pattern": "(" , "patternProperties": { "[": {} } }),
            json!({ "patternProperties": {} }),
            2,
        ),
        (json!({ "type": "boolean", "enum": ["x"] }), json!({ "enum": ["x"] }), 0),
        (json!({ "type": "string", "default": 5 }), json!({ "type": "string", "default": "5" }), 0),
        (json!({ "type": "integer", "default": null }), json!({ "type": "integer" }), 0),
        (json!({ "type": "integer", "default": [] }), json!({ "type": "integer" }), 1),
        (json!(5), json!({}), 0),
    ];
    for (broken, expected, losses) in cases {
        let (schema, lost) = repaired(broken.clone());
        assert_eq!((schema, lost.len()), (expected, losses), "{broken} {lost:?}");
    }
}

#[test]
fn references_lead_to_a_schema() {
    let cases = [
        (
            json!({ "properties": { "a": { "$ref": "#/definitions/gone" } } }),
            json!({ "properties": { "a": {} } }),
            vec!["/properties/a"],
        ),
        (
            json!({ "$ref": "https://example.com/other.json", "type": "object" }),
            json!({ "type": "object" }),
            vec![""],
        ),
        (
            json!({ "properties": { "a": { "$ref": "#item" } }, "$defs": { "i": { "$anchor": "item" } } }),
            json!({ "properties": { "a": { "$ref": "#/$defs/i" } }, "$defs": { "i": { "$anchor": "item" } } }),
            vec![],
        ),
        (
            json!({ "properties": { "a": { "$ref": "i.json" } }, "$defs": { "i": { "$id": "i.json", "type": "string" } } }),
            json!({ "properties": { "a": { "$ref": "#/$defs/i" } }, "$defs": { "i": { "type": "string" } } }),
            vec![],
        ),
        (
            json!({ "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } } }),
            json!({ "$defs": { "a": {}, "b": {} } }),
            vec!["/$defs/a", "/$defs/b"],
        ),
        (
            json!({ "properties": { "a": { "$recursiveRef": "#" } }, "$recursiveAnchor": true }),
            json!({ "properties": { "a": { "$ref": "#" } } }),
            vec![],
        ),
    ];
    for (given, expected, lost) in cases {
        let lost: Vec<String> = lost.into_iter().map(str::to_owned).collect();
        assert_eq!(repaired(given.clone()), (expected, lost), "{given}");
    }
}

#[test]
fn deep_schemas_are_cut() {
    let mut schema = json!({});
    for _ in 0..500 {
        schema = json!({ "items": schema });
    }
    let (schema, lost) = repaired(schema);
    assert_eq!(lost.len(), 1);
    assert!(schema.to_string().len() < 1_000);
}

fn schema_with_unsafe_names() -> Schema {
    Schema::new(json!({
        "type": "object",
        "properties": {
            "$top": { "type": "integer", "description": "How many." },
            "top": { "type": "string" },
            "filter[status]": true,
            "1st": { "$ref": "#/$defs/node" },
            "free": { "type": "object", "additionalProperties": { "type": "integer" } },
            "list": { "type": "array", "items": { "anyOf": [{ "$ref": "#/$defs/node" }, { "type": "null" }] } }
        },
        "required": ["$top", "top"],
        "$defs": { "node": {
            "properties": { "@odata.type": {}, "next": { "$ref": "#/$defs/node" } },
            "required": ["@odata.type"]
        } }
    }))
}

#[test]
fn names_are_safe_and_unique_in_the_schema() {
    let schema = schema_with_unsafe_names();
    let renamed = schema.property_names().unwrap().renamed_schema();
    let all: Vec<&String> = renamed["properties"].as_object().unwrap().keys().collect();
    assert_eq!(all, ["top_2", "top", "filter_status", "_1st", "free", "list"]);
    assert_eq!(renamed["required"], json!(["top_2", "top"]));
    assert_eq!(renamed["properties"]["top_2"]["description"], "`$top`: How many.");
    assert_eq!(
        renamed["properties"]["filter_status"],
        json!({ "description": "`filter[status]`" })
    );
    assert_eq!(renamed["$defs"]["node"]["required"], json!(["odata.type"]));
}

#[test]
fn arguments_are_mapped_in_both_directions_at_every_depth() {
    let schema = schema_with_unsafe_names();
    let names = schema.property_names().unwrap();
    let ours = json!({
        "$top": 1, "top": "a", "unknown": 2,
        "1st": { "@odata.type": "x", "next": { "@odata.type": "y" } },
        // These names are data.
        "free": { "$top": 1, "top_2": 2 },
        "list": [null, { "@odata.type": "z" }]
    });
    let sent = names.rename_arguments(ours.clone());
    assert_eq!((&sent["top_2"], &sent["_1st"]["next"]["odata.type"]), (&json!(1), &json!("y")));
    assert_eq!(sent["free"], ours["free"]);
    assert_eq!(sent["list"][1], json!({ "odata.type": "z" }));
    assert_eq!(names.restore_arguments(sent), ours);
}

#[test]
fn safe_names_cost_nothing() {
    let safe = Schema::new(json!({ "properties": { "a.b-c_d": {} } }));
    assert!(safe.property_names().is_none());
    let long = "x".repeat(65);
    let schema = Schema::new(json!({ "properties": { long.clone(): {} } }));
    let names = schema.property_names().unwrap();
    let sent = names.rename_arguments(json!({ long: 1 }));
    assert!(sent.as_object().unwrap().keys().all(|name| name.len() <= 64));
}
