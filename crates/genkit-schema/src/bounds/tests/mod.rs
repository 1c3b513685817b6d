//! Tests of bounds: fixed cases, comparison with a complete validator, and values deserialized by types.

mod costly;
mod hostile;
mod plain;
mod random;
mod read;

use serde_json::{Value, json};

use super::{Bounds, Shape};

fn error_text(schema: &Value, value: &Value) -> Option<String> {
    let bounds = Bounds::compile(schema, Shape::Written).expect("it compiles");
    bounds.and_then(|bounds| bounds.check(value).err())
}

#[test]
fn violation_reports_path_value_and_bound() {
    let order = json!({"properties": {"order": {"properties": {"items": {"items": {
        "properties": {"days": {"type": "integer", "maximum": 7}}}}}}}});
    let nine = json!({"order": {"items": [{"days": 1}, {}, {"days": 9}]}});
    for (schema, value, expected) in [
        (order, nine, "at `order.items[2].days`: 9 is greater than the maximum of 7"),
        (json!({"minimum": 3}), json!(2.5), "2.5 is less than the minimum of 3"),
        (
            json!({"exclusiveMinimum": 3}),
            json!(3),
            "3 is less than or equal to the exclusive minimum of 3",
        ),
        (
            json!({"exclusiveMaximum": 3}),
            json!(3),
            "3 is greater than or equal to the exclusive maximum of 3",
        ),
        (
            json!({"maximum": 3, "exclusiveMaximum": true}),
            json!(3),
            "3 is greater than or equal to the exclusive maximum of 3",
        ),
        (json!({"multipleOf": 0.1}), json!(0.35), "0.35 is not a multiple of 0.1"),
        (json!({"maxLength": 2}), json!("äöü"), r#""äöü" is longer than 2 characters"#),
        (json!({"minLength": 1}), json!(""), r#""" is shorter than 1 character"#),
        (json!({"pattern": "^a+$"}), json!("ab"), r#""ab" does not match the pattern "^a+$""#),
        (json!({"minItems": 2}), json!([1]), "[1] has 1 item, less than the minimum of 2"),
        (json!({"maxItems": 1}), json!([1, 2]), "[1,2] has 2 items, more than the maximum of 1"),
        (
            json!({"uniqueItems": true}),
            json!([1, 2, 1.0]),
            "[1,2,1.0] has 1.0 more than once, and must have unique items",
        ),
        (json!({"minProperties": 1}), json!({}), "{} has 0 properties, less than the minimum of 1"),
        (
            json!({"maxProperties": 0}),
            json!({"a": 1}),
            r#"{"a":1} has 1 property, more than the maximum of 0"#,
        ),
        (json!({"enum": ["a", 2]}), json!("b"), r#""b" is not one of "a", 2"#),
        (json!({"const": "a"}), json!("b"), r#""b" is not the expected "a""#),
        (
            json!({"type": ["integer", "null"]}),
            json!("5"),
            r#""5" is not of types "null", "integer""#,
        ),
        (json!({"required": ["a", "b"]}), json!({"a": 1}), r#""b" is a required property"#),
        (
            json!({"properties": {"a": {}}, "additionalProperties": false}),
            json!({"b": 1}),
            "at `b`: additional properties are not allowed, only `a`",
        ),
        (json!({"properties": {"a": false}}), json!({"a": 1}), "at `a`: no value is allowed here"),
        (
            json!({"dependentRequired": {"a": ["b"]}}),
            json!({"a": 1}),
            r#""b" is a required property if "a" is present"#,
        ),
        (json!({"not": {"const": 0}}), json!(0), "0 is not allowed here"),
        (
            json!({"contains": {"minimum": 5}}),
            json!([1]),
            "0 items match `contains`, but there must be at least 1",
        ),
        (
            json!({"propertyNames": {"maxLength": 1}}),
            json!({"a": 1, "bc": 1}),
            "at `bc`: \"bc\" is longer",
        ),
        (json!({"prefixItems": [{}], "items": {"maximum": 1}}), json!([9, 9]), "at `[1]`: 9 is"),
        (
            json!({"patternProperties": {"^x": {"maximum": 1}}}),
            json!({"x1": 9}),
            "at `x1`: 9 is greater than the maximum of 1",
        ),
        (
            json!({"additionalProperties": {"maximum": 1}}),
            json!({"x": 9, "y": 1}),
            "at `x`: 9 is greater than the maximum of 1",
        ),
        (
            json!({"anyOf": [{"type": "null"}, {"type": "integer", "maximum": 7}]}),
            json!(9),
            "9 is greater than the maximum of 7",
        ),
        (
            json!({"oneOf": [{"multipleOf": 2}, {"multipleOf": 3}]}),
            json!(6),
            "6 is valid under more than one of its alternatives",
        ),
        (
            json!({"if": {"minimum": 5}, "then": {"multipleOf": 5}, "else": {"minimum": 1}}),
            json!(6),
            "6 is not a multiple of 5",
        ),
        (
            json!({"$ref": "#/$defs/a%20b", "minimum": 1, "$defs": {"a b": {"maximum": 3}}}),
            json!(4),
            "4 is greater than the maximum of 3",
        ),
    ] {
        let found = error_text(&schema, &value).unwrap_or_else(|| panic!("{value} fits {schema}"));
        assert!(found.contains(expected), "{found}\n{expected}");
    }
}

#[test]
fn up_to_five_violations_are_reported_together() {
    let found = error_text(&json!({"items": {"maximum": 1}}), &json!([5, 6, 7, 8, 9, 10]));
    let found = found.expect("all items are too large");
    assert_eq!(found.matches("is greater than the maximum of 1").count(), 5, "{found}");
    assert!(
        found.starts_with("at `[0]`: 5 is greater than the maximum of 1; at `[1]`: 6 is"),
        "{found}"
    );
}

#[test]
fn older_draft_ignores_siblings_of_a_reference() {
    let old = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$ref": "#/definitions/n", "maximum": 1, "definitions": {"n": {"type": "integer"}},
    });
    assert_eq!(error_text(&old, &json!(5)), None);
    assert!(
        error_text(&json!({"items": [{"maximum": 1}], "additionalItems": false}), &json!([1, 1]))
            .is_some()
    );
}

#[test]
fn uncheckable_keyword_is_an_error() {
    for (schema, expected) in [
        #[cfg(not(feature = "validation"))]
        (json!({"pattern": "(?=a)"}), "the pattern `(?=a)` cannot be checked (look-around"),
        #[cfg(not(feature = "validation"))]
        (json!({"pattern": r"\p{L}"}), "Unicode character classes are not supported"),
        (json!({"pattern": "(a"}), "the pattern `(a` cannot be checked"),
        (json!({"properties": {"a": {"minimum": "5"}}}), "at `/properties/a/minimum`"),
        (json!({"type": "strng"}), "at `/type`"),
        (json!({"$ref": "#/$defs/nowhere"}), "`#/$defs/nowhere` does not exist"),
        (json!({"$ref": "https://example.com/other"}), "does not exist in the schema"),
        (
            json!({"$dynamicRef": "#n", "$dynamicAnchor": "n", "$defs": {
                "a": {"$id": "https://example.com/a", "$dynamicAnchor": "n"}}}),
            "`$dynamicRef` cannot be checked, because several",
        ),
        (json!({"$ref": "#"}), "refers to itself"),
        (json!({"anyOf": [{"$ref": "#"}, {"type": "null"}]}), "refers to itself"),
    ] {
        let error = Bounds::compile(&schema, Shape::Written).expect_err("it cannot be checked");
        assert!(error.to_string().contains(expected), "{error}\n{expected}");
    }
}

#[test]
fn schema_without_assertions_has_no_bounds() {
    let open = json!({"title": "T", "description": "d", "properties": {}, "default": 5});
    assert!(Bounds::compile(&open, Shape::Written).expect("it compiles").is_none());
}

#[test]
fn references_of_every_spelling_lead_to_their_schema() {
    for (schema, is_old) in [
        (json!({"$ref": "#n", "$defs": {"x": {"$anchor": "n", "type": "null"}}}), false),
        (json!({"$ref": "#/%24defs/x", "$defs": {"x": {"type": "null"}}}), false),
        (
            json!({"$dynamicRef": "#n", "$defs": {"x": {"$dynamicAnchor": "n", "type": "null"}}}),
            false,
        ),
        (
            json!({"$id": "https://a.example/b/c", "$ref": "/b/d#/x", "$defs": {
            "x": {"$id": "d", "x": {"type": "null"}}}}),
            false,
        ),
        (
            json!({"$id": "https://a.example/b/c", "$ref": "https://a.example/b/d", "$defs": {
            "x": {"$id": "d", "$ref": "#/$defs/y", "$defs": {"y": {"type": "null"}}}}}),
            false,
        ),
        (
            json!({"$id": "urn:a", "$ref": "urn:a#/$defs/x", "$defs": {"x": {"type": "null"}}}),
            false,
        ),
        (
            json!({"allOf": [{"$ref": "#n"}], "definitions": {"x": {"$id": "#n", "type": "null"}}}),
            true,
        ),
    ] {
        let mut schema = schema;
        if is_old {
            schema["$schema"] = "http://json-schema.org/draft-07/schema#".into();
        }
        assert_eq!(error_text(&schema, &Value::Null), None, "{schema}");
        assert!(error_text(&schema, &json!(1)).is_some(), "{schema}");
    }
    // Anchors inside example values are not reference targets.
    let example = json!({"$ref": "#n", "examples": [{"$anchor": "n"}]});
    assert!(Bounds::compile(&example, Shape::Written).is_err());
}
