//! Tests of choices, fixed values, types and null.

use serde_json::{Value, json};

use super::{optional, whole};

#[test]
fn documented_values_fold_into_one_list() {
    let exact = json!({ "oneOf": [
        { "type": "string", "enum": ["a", "b"] },
        { "const": "c", "description": "The third.\n\nAnd last." },
        { "type": "object", "properties": { "d": { "const": 1 } }, "required": ["d"] },
        { "const": "c" },
    ] });
    let object = json!({ "type": "object", "properties": { "d": { "type": "integer", "enum": [1] } }, "required": ["d"] });
    let list = json!({ "type": "string", "enum": ["a", "b", "c"], "description": "- `c`: The third.\n  \n  And last." });
    assert_eq!(whole(exact), json!({ "anyOf": [list, object] }));
    let exact =
        json!({ "oneOf": [{ "const": 1, "title": "One" }, { "const": 2, "deprecated": true }] });
    let description = "- `1`: One\n- `2`: (deprecated)";
    assert_eq!(
        whole(exact),
        json!({ "type": "integer", "enum": [1, 2], "description": description })
    );
}

#[test]
fn values_with_extensions_stay_apart() {
    let exact =
        json!({ "oneOf": [{ "const": "a", "x-icon": "A" }, { "const": "b", "x-icon": "B" }] });
    let value =
        |name: &str, icon: &str| json!({ "type": "string", "enum": [name], "x-icon": icon });
    assert_eq!(whole(exact), json!({ "anyOf": [value("a", "A"), value("b", "B")] }));
}

#[test]
fn choices_are_made_simple() {
    let string = json!({ "type": "string" });
    let exact = json!({ "anyOf": [string, { "oneOf": [{ "type": "boolean" }, string] }, false] });
    assert_eq!(whole(exact), json!({ "anyOf": [string, { "type": "boolean" }] }));
    assert_eq!(
        whole(json!({ "oneOf": [string, string], "description": "One." })),
        json!({ "type": "string", "description": "One." })
    );
    for nothing in
        [json!({ "oneOf": [] }), json!({ "enum": [] }), json!({ "anyOf": [false] }), json!(false)]
    {
        assert_eq!(whole(nothing), json!({ "not": {} }));
    }
    let never = json!({ "anyOf": [{ "$ref": "#/$defs/Never" }, { "type": "null" }], "$defs": { "Never": false } });
    assert_eq!(whole(never), json!({ "type": "null" }));
    let exact = json!({ "anyOf": [{ "minLength": 1 }, { "pattern": "a" }], "oneOf": [{ "maxLength": 3 }, { "maxLength": 5 }], "type": "string" });
    let schema = whole(exact);
    assert_eq!(schema["anyOf"].as_array().map(Vec::len), Some(2));
    assert_eq!(schema["allOf"][0]["anyOf"].as_array().map(Vec::len), Some(2));
}

#[test]
fn several_types_become_a_choice() {
    let exact = json!({ "type": ["string", "integer", "null"], "minLength": 2, "minimum": 3, "description": "Either." });
    let string = json!({ "type": "string", "minLength": 2 });
    let integer = json!({ "type": "integer", "minimum": 3 });
    assert_eq!(
        whole(exact),
        json!({ "description": "Either.", "anyOf": [string, integer, { "type": "null" }] })
    );
}

#[test]
fn missing_types_are_filled_in() {
    assert_eq!(whole(json!({ "enum": ["a"] })), json!({ "type": "string", "enum": ["a"] }));
    assert_eq!(whole(json!({ "enum": ["a", 1] })), json!({ "enum": ["a", 1] }));
    assert_eq!(whole(json!({ "minLength": 1 })), json!({ "type": "string", "minLength": 1 }));
    let of_each = whole(json!({ "minLength": 1, "minimum": 1 }));
    assert_eq!(of_each["anyOf"][0], json!({ "type": "string", "minLength": 1 }));
    assert_eq!(of_each["anyOf"].as_array().map(Vec::len), Some(6));
    assert_eq!(whole(json!({ "type": "array" })), json!({ "type": "array", "items": {} }));
    assert_eq!(whole(json!(true)), json!({}));
    assert_eq!(whole(json!({ "type": "object" })), json!({ "type": "object", "properties": {} }));
}

#[test]
fn null_is_removed_only_if_omission_is_equivalent() {
    let string = json!({ "type": "string" });
    let or_null = json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] });
    let nullable = json!({ "type": ["string", "null"] });
    let field = |field: &Value, required: bool| {
        let mut exact = optional(field.clone());
        if required {
            exact["required"] = json!(["a"]);
        }
        whole(exact)["properties"]["a"].clone()
    };
    for exact in [&nullable, &or_null, &json!({ "oneOf": [{ "type": "null" }, string] })] {
        assert_eq!(field(exact, false), string);
        assert_eq!(field(exact, true), or_null);
    }
    assert_eq!(whole(nullable.clone()), or_null);
    assert_eq!(whole(json!({ "type": "array", "items": nullable }))["items"], or_null);
    assert_eq!(
        whole(json!({ "type": "object", "additionalProperties": nullable }))["additionalProperties"],
        or_null
    );
    assert_eq!(field(&json!({ "type": "string", "default": null }), true), string);
    assert_eq!(field(&json!({ "type": "null" }), false), json!({ "type": "null" }));
}

#[test]
fn null_leaves_lists_of_values() {
    let exact = json!({ "type": ["string", "null"], "enum": ["a", null] });
    assert_eq!(
        whole(optional(exact))["properties"]["a"],
        json!({ "type": "string", "enum": ["a"] })
    );
    let exact = json!({ "enum": [1, null] });
    let nil = json!({ "type": "null" });
    assert_eq!(whole(exact), json!({ "anyOf": [{ "type": "integer", "enum": [1] }, nil] }));
    assert_eq!(whole(json!({ "const": null })), json!({ "type": "null", "enum": [null] }));
    let exact = json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }, nil] });
    assert_eq!(
        whole(optional(exact.clone()))["properties"]["a"]["anyOf"].as_array().map(Vec::len),
        Some(2)
    );
    assert_eq!(whole(exact.clone()), exact);
    // The type next to the choice rejects null.
    let exact = json!({ "type": "object", "anyOf": [{ "properties": { "a": {} } }, { "properties": { "b": {} } }, nil] });
    assert_eq!(whole(exact)["anyOf"].as_array().map(Vec::len), Some(2));
}
