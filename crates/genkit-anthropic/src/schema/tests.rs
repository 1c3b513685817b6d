//! Tests of the schemas sent to Anthropic.

use serde_json::{Value, json};

use super::ToolInputDialect;
use super::output::rewrite_strict;
use genkit_schema::internal::Dialect as _;
use genkit_schema::internal::MAX_DEPTH;
use genkit_schema::internal::testing::{deep_schema, wide_schema, with_property, zoo_schemas};

fn said(exact: Value) -> Value {
    rewrite_strict(&with_property(exact)).unwrap().0["properties"]["a"].take()
}

#[test]
fn schemas_are_converted_to_the_subset() {
    for (exact, expected) in [
        (
            json!({"type": "integer", "format": "uint8", "minimum": 0, "maximum": 9, "description": "D."}),
            json!({"type": "integer", "description": "D. (at least 0, at most 9)"}),
        ),
        (
            json!({"type": "string", "format": "uuid", "pattern": "a", "default": "b", "x-a": 1}),
            json!({"type": "string", "format": "uuid", "default": "b", "description": "matches \"a\""}),
        ),
        (json!({"const": "a"}), json!({"const": "a"})),
        (json!({"enum": ["a", 1]}), json!({"enum": ["a", 1]})),
        (
            json!({"type": ["array", "null"], "items": {"type": "number"}, "minItems": 1, "maxItems": 2}),
            json!({
                "type": ["array", "null"], "items": {"type": "number"}, "minItems": 1,
                "description": "items, at most 2",
            }),
        ),
        (
            json!({"oneOf": [{"type": "string"}, {"type": "null"}], "description": "D"}),
            json!({"description": "D", "anyOf": [{"type": "string"}, {"type": "null"}]}),
        ),
        (
            json!({"type": "object", "properties": {"b": {"type": "null"}}, "required": ["b"], "additionalProperties": true}),
            json!({"type": "object", "properties": {"b": {"type": "null"}}, "required": ["b"], "additionalProperties": false}),
        ),
        (
            json!({"type": "object"}),
            json!({"type": "object", "properties": {}, "additionalProperties": false}),
        ),
        (
            json!({"allOf": [{"type": "object", "properties": {"b": {"type": "null"}}}], "description": "D"}),
            json!({"description": "D", "type": "object", "properties": {"b": {"type": "null"}}, "additionalProperties": false}),
        ),
    ] {
        assert_eq!(said(exact.clone()), expected, "{exact}");
    }
}

#[test]
fn references_without_siblings_are_kept() {
    let exact = json!({
        "type": "object", "required": ["a", "b"],
        "properties": {
            "a": {"$ref": "#/$defs/A"}, "b": {"$ref": "#/$defs/A", "description": "D"}, "c": {"allOf": [{"$ref": "#/$defs/A"}]},
        },
        "$defs": {"A": {"type": "string", "maxLength": 3}, "Unused": {}},
    });
    let (strict, left_out) = rewrite_strict(&exact).unwrap();
    assert_eq!(strict["properties"]["a"], json!({"$ref": "#/$defs/A"}));
    assert_eq!(
        strict["properties"]["b"],
        json!({"type": "string", "description": "D (characters, at most 3)"})
    );
    assert_eq!(
        strict["$defs"],
        json!({"A": {"type": "string", "description": "characters, at most 3"}})
    );
    assert_eq!(
        left_out.iter().filter(|place| place.ends_with("/maxLength")).count(),
        left_out.len()
    );
}

#[test]
fn unsupported_schema_is_reported_with_its_position() {
    for (exact, place) in [
        (json!(true), "`/properties/a`: a schema that accepts any value"),
        (json!({}), "`/properties/a`: a schema that accepts any value"),
        (json!({"type": "array"}), "`/properties/a`: a list"),
        (json!({"type": "array", "prefixItems": []}), "`/properties/a/prefixItems`"),
        (
            json!({"type": "object", "additionalProperties": true}),
            "`/properties/a/additionalProperties`",
        ),
        (
            json!({"type": "object", "additionalProperties": {"type": "null"}}),
            "`/properties/a/additionalProperties`",
        ),
        (json!({"type": "object", "patternProperties": {}}), "`/properties/a/patternProperties`"),
        (
            json!({"type": "object", "required": ["z"]}),
            "\"z\" is required, but not in `properties`",
        ),
        (json!({"not": {}}), "`/properties/a/not`"),
        (json!({"anyOf": [{"type": "string"}, {}]}), "`/properties/a/anyOf/1`"),
        (json!({"anyOf": [{"type": "string"}], "required": ["b"]}), "`/properties/a/required`"),
        (json!({"$ref": "#"}), "is recursive"),
        (json!({"$ref": "#/$defs/None"}), "does not exist"),
        (json!({"allOf": [{"$ref": "#/a"}, {"$ref": "#/b"}]}), "a schema with several references"),
    ] {
        let reason = rewrite_strict(&with_property(exact.clone())).unwrap_err();
        assert!(reason.contains(place), "{exact}: {reason}");
    }
    let tree = json!({
        "type": "object", "properties": {"a": {"$ref": "#/$defs/T"}},
        "$defs": {"T": {"type": "object", "properties": {"t": {"$ref": "#/$defs/T"}}}},
    });
    assert!(rewrite_strict(&tree).unwrap_err().contains("is recursive"));
}

#[test]
fn strict_schemas_have_size_limits() {
    assert!(rewrite_strict(&wide_schema(2_001)).unwrap_err().contains("too large"));
    assert!(
        rewrite_strict(&with_property(deep_schema(MAX_DEPTH))).unwrap_err().contains("too deep")
    );
    let many = |count: usize, kind: Value| {
        let names = (0..count).map(|n| (format!("p{n}"), kind.clone()));
        json!({"type": "object", "properties": names.collect::<serde_json::Map<_, _>>()})
    };
    assert!(rewrite_strict(&many(24, json!({"type": "null"}))).is_ok());
    assert!(
        rewrite_strict(&many(25, json!({"type": "null"})))
            .unwrap_err()
            .contains("25 properties are optional")
    );
    let mut unions = many(17, json!({"type": ["string", "null"]}));
    unions["required"] = (0..17).map(|n| format!("p{n}")).collect();
    assert!(rewrite_strict(&unions).unwrap_err().contains("17 values have several types"));
}

#[test]
fn schema_collection_is_converted_or_rejected() {
    let (mut said, mut unsaid) = (Vec::new(), Vec::new());
    for (name, exact) in zoo_schemas() {
        match rewrite_strict(&exact) {
            Ok((schema, _)) => {
                walk(&schema, &schema, &name);
                said.push(name.clone());
            }
            Err(reason) => {
                assert!(reason.starts_with("at "), "{name}: {reason}");
                unsaid.push(format!("{name}: {reason}"));
            }
        }
        let root = ToolInputDialect::convert_schema(&exact, &name).unwrap();
        assert_eq!(root["type"], "object", "{name}");
        assert!(
            ["anyOf", "oneOf", "allOf", "$ref"].iter().all(|key| root.get(key).is_none()),
            "{name}"
        );
    }
    for name in ["nested", "defaults", "enum_tagged_field", "no_args"] {
        assert!(said.contains(&format!("{name} exact")), "{name}: {unsaid:#?}");
    }
    for name in ["maps", "json", "json_root", "map_root", "tree", "linked_list"] {
        assert!(!said.contains(&format!("{name} exact")), "{name}");
    }
}

fn walk(schema: &Value, root: &Value, name: &str) {
    const ALLOWED: [&str; 14] = [
        "type",
        "title",
        "description",
        "default",
        "enum",
        "const",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "anyOf",
        "$ref",
        "$defs",
        "format",
    ];
    let map = schema.as_object().unwrap_or_else(|| panic!("{name}: {schema}"));
    assert!(
        map.keys()
            .all(|key| ALLOWED.contains(&&**key) || key == "minItems" || key == "definitions"),
        "{name}: {schema:#}"
    );
    if map.get("type").is_some_and(|kind| kind == "object") {
        assert_eq!(map["additionalProperties"], false, "{name}: {schema:#}");
    }
    if let Some(reference) = map.get("$ref") {
        let pointer = reference.as_str().unwrap().strip_prefix('#').unwrap();
        assert!(root.pointer(pointer).is_some() && map.len() == 1, "{name}: {schema}");
    }
    for key in ["properties", "$defs", "definitions"] {
        let inner = map.get(key).and_then(Value::as_object).into_iter().flat_map(|it| it.values());
        inner.for_each(|inner| walk(inner, root, name));
    }
    let any = map.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    any.chain(map.get("items")).for_each(|inner| walk(inner, root, name));
}
