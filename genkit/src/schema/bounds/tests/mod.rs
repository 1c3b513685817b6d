//! Tests of bounds: by hand, against a complete validator, and with types that read values.

mod hostile;
mod random;
mod read;

use serde_json::{Value, json};

use super::{Bounds, Shape};

fn told(schema: &Value, value: &Value) -> Option<String> {
    let bounds = Bounds::compile(schema, Shape::Written).expect("it compiles");
    bounds.and_then(|bounds| bounds.check(value).err())
}

#[test]
fn each_keyword_is_told_with_place_value_and_bound() {
    let order = json!({"properties": {"order": {"properties": {"items": {"items": {
        "properties": {"days": {"type": "integer", "maximum": 7}}}}}}}});
    let nine = json!({"order": {"items": [{"days": 1}, {}, {"days": 9}]}});
    for (schema, value, expected) in [
        (order, nine, "at `order.items[2].days`: is 9, but must be at most 7"),
        (json!({"minimum": 3}), json!(2.5), "is 2.5, but must be at least 3"),
        (json!({"exclusiveMinimum": 3}), json!(3), "is 3, but must be more than 3"),
        (json!({"exclusiveMaximum": 3}), json!(3), "is 3, but must be less than 3"),
        (
            json!({"maximum": 3, "exclusiveMaximum": true}),
            json!(3),
            "is 3, but must be less than 3",
        ),
        (json!({"multipleOf": 0.1}), json!(0.35), "is 0.35, but must be a multiple of 0.1"),
        (
            json!({"maxLength": 2}),
            json!("äöü"),
            r#"is "äöü" (3 characters), but must have at most 2 characters"#,
        ),
        (
            json!({"minLength": 1}),
            json!(""),
            r#"is "" (0 characters), but must have at least 1 character"#,
        ),
        (json!({"pattern": "^a+$"}), json!("ab"), r#"is "ab", but must match the pattern `^a+$`"#),
        (json!({"minItems": 2}), json!([1]), "has 1 item, but must have at least 2"),
        (json!({"maxItems": 1}), json!([1, 2]), "has 2 items, but must have at most 1"),
        (
            json!({"uniqueItems": true}),
            json!([1, 2, 1.0]),
            "has 1.0 more than once, but its items must differ",
        ),
        (json!({"minProperties": 1}), json!({}), "has 0 members, but must have at least 1"),
        (json!({"maxProperties": 0}), json!({"a": 1}), "has 1 member, but must have at most 0"),
        (json!({"enum": ["a", 2]}), json!("b"), r#"is "b", but must be one of "a", 2"#),
        (json!({"const": "a"}), json!("b"), r#"is "b", but must be "a""#),
        (
            json!({"type": ["integer", "null"]}),
            json!("5"),
            r#"is "5", but must be null or a whole number"#,
        ),
        (json!({"required": ["a", "b"]}), json!({"a": 1}), "lacks `b`"),
        (
            json!({"properties": {"a": {}}, "additionalProperties": false}),
            json!({"b": 1}),
            "at `b`: is unknown here: leave it out, or use one of `a`",
        ),
        (json!({"properties": {"a": false}}), json!({"a": 1}), "at `a`: must not be given"),
        (json!({"dependentRequired": {"a": ["b"]}}), json!({"a": 1}), "has `a` and lacks `b`"),
        (json!({"not": {"const": 0}}), json!(0), "is 0, which is not allowed here"),
        (
            json!({"contains": {"minimum": 5}}),
            json!([1]),
            "has 0 items of those that it must have at least 1 of",
        ),
        (json!({"propertyNames": {"maxLength": 1}}), json!({"a": 1, "bc": 1}), "bc"),
        (json!({"prefixItems": [{}], "items": {"maximum": 1}}), json!([9, 9]), "at `[1]`: is 9"),
        (
            json!({"patternProperties": {"^x": {"maximum": 1}}}),
            json!({"x1": 9}),
            "at `x1`: is 9, but must be at most 1",
        ),
        (
            json!({"additionalProperties": {"maximum": 1}}),
            json!({"x": 9, "y": 1}),
            "at `x`: is 9, but must be at most 1",
        ),
        (
            json!({"anyOf": [{"type": "null"}, {"type": "integer", "maximum": 7}]}),
            json!(9),
            "is 9, but must be at most 7",
        ),
        (
            json!({"oneOf": [{"multipleOf": 2}, {"multipleOf": 3}]}),
            json!(6),
            "is 6, and fits more than one of its alternatives",
        ),
        (
            json!({"if": {"minimum": 5}, "then": {"multipleOf": 5}, "else": {"minimum": 1}}),
            json!(6),
            "is 6, but must be a multiple of 5",
        ),
        (
            json!({"$ref": "#/$defs/a%20b", "minimum": 1, "$defs": {"a b": {"maximum": 3}}}),
            json!(4),
            "is 4, but must be at most 3",
        ),
    ] {
        let found = told(&schema, &value).unwrap_or_else(|| panic!("{value} fits {schema}"));
        assert!(found.contains(expected), "{found}\n{expected}");
    }
}

#[test]
fn five_violations_are_told_at_once() {
    let found = told(&json!({"items": {"maximum": 1}}), &json!([5, 6, 7, 8, 9, 10]));
    let found = found.expect("they are too much");
    assert_eq!(found.matches("must be at most 1").count(), 5, "{found}");
    assert!(found.starts_with("at `[0]`: is 5, but must be at most 1; at `[1]`: is 6"), "{found}");
}

#[test]
fn an_older_draft_hides_what_stands_beside_a_reference() {
    let old = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$ref": "#/definitions/n", "maximum": 1, "definitions": {"n": {"type": "integer"}},
    });
    assert_eq!(told(&old, &json!(5)), None);
    assert!(
        told(&json!({"items": [{"maximum": 1}], "additionalItems": false}), &json!([1, 1]))
            .is_some()
    );
}

#[test]
fn what_cannot_be_checked_is_told_and_not_left_out() {
    for (schema, expected) in [
        (json!({"pattern": "(?=a)"}), "the pattern `(?=a)` cannot be checked (look-around"),
        (json!({"pattern": r"\p{L}"}), "Unicode character classes are not supported"),
        (json!({"properties": {"a": {"minimum": "5"}}}), "at `/properties/a/minimum`"),
        (json!({"type": "strng"}), "at `/type`"),
        (json!({"$ref": "#/$defs/nowhere"}), "`#/$defs/nowhere` leads nowhere"),
        (json!({"$ref": "https://example.com/other"}), "leads nowhere within the schema"),
        (json!({"unevaluatedProperties": false}), "the feature `validation`"),
        (json!({"$ref": "#"}), "refers to itself"),
        (json!({"anyOf": [{"$ref": "#"}, {"type": "null"}]}), "refers to itself"),
    ] {
        let error = Bounds::compile(&schema, Shape::Written).expect_err("it cannot be checked");
        assert!(error.to_string().contains(expected), "{error}\n{expected}");
    }
}

#[test]
fn a_schema_without_assertions_is_nothing() {
    let open = json!({"title": "T", "description": "d", "properties": {}, "default": 5});
    assert!(Bounds::compile(&open, Shape::Written).expect("it compiles").is_none());
}
