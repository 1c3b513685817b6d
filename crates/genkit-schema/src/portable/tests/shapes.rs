//! Tests of arrays, objects and keywords.

use serde_json::json;

use super::{super::portable, lossy, whole};

#[test]
fn tuples_of_each_kind() {
    let string = json!({ "type": "string" });
    let number = json!({ "type": "number" });
    let pair =
        json!({ "type": "array", "prefixItems": [string, string], "minItems": 2, "items": false });
    assert_eq!(
        whole(pair),
        json!({ "type": "array", "items": string, "minItems": 2, "maxItems": 2 })
    );
    let open = json!({ "type": "array", "prefixItems": [string], "items": number });
    let (schema, lost) = lossy(open);
    assert_eq!(schema["items"], json!({ "anyOf": [string, number] }));
    assert_eq!(lost, ["/prefixItems"]);
    let open = json!({ "type": "array", "prefixItems": [string], "unevaluatedItems": string });
    assert_eq!(whole(open), json!({ "type": "array", "items": string }));
    let open = json!({ "type": "array", "prefixItems": [string] });
    assert_eq!(lossy(open).0["items"], json!({ "anyOf": [string, {}] }));
    let none = json!({ "type": "array", "items": false });
    assert_eq!(whole(none), json!({ "type": "array", "items": {}, "maxItems": 0 }));
}

#[test]
fn unevaluated_properties_close_what_has_no_choice() {
    let exact = json!({
        "$ref": "#/$defs/A", "properties": { "b": true }, "unevaluatedProperties": false,
        "$defs": { "A": { "type": "object", "properties": { "a": { "type": "string" } } } },
    });
    let properties = json!({ "a": { "type": "string" }, "b": {} });
    assert_eq!(
        whole(exact),
        json!({ "type": "object", "properties": properties, "additionalProperties": false })
    );
    assert_eq!(
        whole(json!({ "type": "object", "unevaluatedProperties": true }))
            .get("additionalProperties"),
        None
    );
}

#[test]
fn keywords_outside_of_both_drafts_are_reported() {
    let exact = json!({
        "type": "object", "$id": "https://example.org/a", "$comment": "kept", "x-kept": { "$ref": "#" },
        "dependentRequired": { "a": ["b"] }, "nullable": true,
        "properties": { "a": { "type": "array", "contains": true, "minContains": 2 } },
    });
    let (schema, lost) = lossy(exact);
    let a = json!({ "type": "array", "items": {}, "contains": {} });
    assert_eq!(
        schema,
        json!({ "type": "object", "$comment": "kept", "x-kept": { "$ref": "#" }, "properties": { "a": a } })
    );
    assert_eq!(lost, ["/dependentRequired", "/nullable", "/properties/a/minContains"]);
}

#[test]
fn result_is_a_fixed_point() {
    let exact = json!({
        "type": "object",
        "properties": { "a": { "type": ["string", "null"] }, "b": { "prefixItems": [true, { "const": 1 }], "maxItems": 2 } },
        "required": ["a"],
    });
    let once = portable(&exact).schema;
    assert_eq!(whole(once.clone()), once);
}

#[test]
fn properties_that_must_be_there_are_described() {
    let a = json!({ "type": "object", "properties": { "a": {} }, "required": ["a"] });
    assert_eq!(whole(json!({ "type": "object", "required": ["a"] })), a);
    let b = json!({ "type": "object", "properties": { "b": {} }, "required": ["b"] });
    let exact =
        json!({ "type": "object", "anyOf": [{ "required": ["a"] }, { "required": ["b"] }] });
    assert_eq!(whole(exact)["anyOf"], json!([a, b]));
}

#[test]
fn losses_inside_of_not_and_if_do_not_turn_around() {
    let lost = json!({ "type": "object", "dependentRequired": { "a": ["b"] } });
    let (schema, _) =
        lossy(json!({ "type": "object", "not": lost, "if": lost, "then": { "required": ["c"] } }));
    assert_eq!(schema, json!({ "type": "object", "properties": {} }));
    let exact = json!({ "type": "string", "if": { "minLength": 3 }, "then": { "pattern": "a" } });
    let schema = whole(exact);
    assert_eq!(schema["if"], json!({ "type": "string", "minLength": 3 }));
    assert_eq!(schema["then"], json!({ "type": "string", "pattern": "a" }));
}
