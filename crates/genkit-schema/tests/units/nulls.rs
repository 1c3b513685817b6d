use genkit_schema::internal::*;
use serde_json::Value;
use serde_json::json;

fn dropped(schema: &Value, mut value: Value, forced: bool) -> Value {
    drop_optional_nulls(&mut value, schema, forced);
    value
}

#[test]
fn only_optional_properties_are_dropped() {
    let schema = json!({
        "type": "object", "required": ["a", "list"],
        "properties": {
            "a": {"type": ["string", "null"]},
            "b": {"type": "integer"},
            "c": {"type": ["integer", "null"]},
            "list": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
        },
        "additionalProperties": {"$ref": "#/$defs/Item"},
        "$defs": {"Item": {"type": "object", "properties": {"n": {"type": "integer"}}}},
    });
    let value = json!({
        "a": null, "b": null, "c": null, "list": [{"n": null}, null], "free": {"n": null}, "x": null,
    });
    let kept = json!({"a": null, "c": null, "list": [{}, null], "free": {}, "x": null});
    assert_eq!(dropped(&schema, value.clone(), false), kept);
    let kept = json!({"a": null, "list": [{}, null], "free": {}, "x": null});
    assert_eq!(dropped(&schema, value, true), kept);
}

#[test]
fn branch_of_a_choice_is_found() {
    let branch = |kind: &str, required: &[&str]| {
        json!({"type": "object", "required": required, "properties": {
            "kind": {"const": kind}, "n": {"type": "integer"}}})
    };
    let schema = json!({"anyOf": [
        {"type": "null"}, branch("a", &["kind", "n"]), branch("b", &["kind"])]});
    let b = json!({"kind": "b", "n": null});
    assert_eq!(dropped(&schema, b, true), json!({"kind": "b"}));
    let a = json!({"kind": "a", "n": null});
    assert_eq!(dropped(&schema, a.clone(), true), a);
}

#[test]
fn loops_of_references_end() {
    for schema in [
        json!({"$ref": "#"}),
        json!({"anyOf": [{"$ref": "#"}]}),
        json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}], "properties": {"a": {"$ref": "#"}}}),
        json!({"properties": {"a": {"$ref": "#/properties/b"}, "b": {"$ref": "#/properties/a"}}}),
    ] {
        dropped(&schema, json!({"a": null, "b": {"a": null}}), false);
    }
}
