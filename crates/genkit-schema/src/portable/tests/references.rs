//! Tests of references: inlined, cut, or without a target.

use serde_json::{Map, Value, json};

use super::{count, lossy, optional, whole};
use crate::conversion::{MAX_DEPTH, MAX_NODES};

#[test]
fn keywords_next_to_a_reference_take_precedence() {
    let exact = json!({
        "type": "object",
        "properties": {
            "a": { "$ref": "#/$defs/Name", "description": "The first.", "default": "x", "x-a": 1 },
            "b": { "$ref": "#/$defs/Name" },
            "c": { "allOf": [{ "$ref": "#/$defs/Name" }], "description": "As of draft 7." },
            "d": { "$ref": "#/$defs/Titled" },
        },
        "$defs": {
            "Name": { "title": "Name", "description": "A name.", "type": "string", "x-b": 2 },
            "Titled": { "title": "A title", "$ref": "#/$defs/Name" },
        },
    });
    let schema = whole(exact);
    let properties = &schema["properties"];
    let first = json!({ "type": "string", "description": "The first.", "default": "x", "x-a": 1, "x-b": 2 });
    assert_eq!(properties["a"], first);
    assert_eq!(properties["b"], json!({ "type": "string", "description": "A name.", "x-b": 2 }));
    assert_eq!(
        properties["c"],
        json!({ "type": "string", "description": "As of draft 7.", "x-b": 2 })
    );
    assert_eq!(properties["d"]["title"], "A title");
}

#[test]
fn limits_that_are_said_twice_are_reported() {
    let exact = json!({
        "$ref": "#/$defs/Age", "minimum": 18,
        "$defs": { "Age": { "type": "integer", "minimum": 0, "maximum": 150 } },
    });
    let (schema, lost) = lossy(exact);
    assert_eq!(schema, json!({ "type": "integer", "minimum": 18, "maximum": 150 }));
    assert_eq!(lost, [""]);
}

#[test]
fn references_that_lead_nowhere_are_reported() {
    for reference in ["#/$defs/None", "#anchor", "https://example.org/schema.json", "#/%"] {
        let (schema, lost) = lossy(optional(json!({ "$ref": reference, "description": "Kept." })));
        assert_eq!(schema["properties"]["a"], json!({ "description": "Kept." }), "{reference}");
        assert_eq!(lost, ["/properties/a"], "{reference}");
    }
}

#[test]
fn recursion_ends_where_it_begins() {
    for (reference, defs) in [
        ("#", json!({})),
        ("#/$defs/A", json!({ "A": { "$ref": "#/$defs/A" } })),
        ("#/$defs/A", json!({ "A": { "$ref": "#/$defs/B" }, "B": { "$ref": "#/$defs/A" } })),
    ] {
        let exact = json!({ "$ref": reference, "$defs": defs });
        let (schema, lost) = lossy(exact);
        assert_eq!(schema["type"], Value::Null);
        assert_eq!(lost.len(), 1, "{reference} {defs}");
    }
}

#[test]
fn cut_keeps_what_is_known() {
    let exact = json!({
        "title": "Node", "type": "object", "description": "A node.",
        "properties": {
            "same": { "$ref": "#", "description": "Another.", "deprecated": true },
            "list": { "$ref": "#/$defs/List" },
        },
        "$defs": { "List": { "type": "array", "items": { "$ref": "#/$defs/List" } } },
    });
    let (schema, lost) = lossy(exact);
    let description = "Another.\n\nHas the same shape as the `Node` that it is in.";
    let same = json!({ "type": "object", "description": description, "deprecated": true });
    assert_eq!(schema["properties"]["same"], same);
    assert_eq!(schema["properties"]["list"]["items"]["type"], "array");
    assert_eq!(schema["properties"]["list"]["items"]["items"], json!({}));
    assert_eq!(lost, ["/$defs/List/items", "/properties/same"]);
}

/// Returns types that each contain the next type three times. When inlined, the last type occurs 3^depth times.
fn fan(depth: usize) -> Value {
    let mut defs = Map::new();
    for level in 0..depth {
        let next = json!({ "$ref": format!("#/$defs/T{}", level + 1), "description": "The next." });
        let properties = json!({ "a": next, "b": next, "c": next });
        defs.insert(format!("T{level}"), json!({ "type": "object", "properties": properties }));
    }
    defs.insert(format!("T{depth}"), json!({ "type": "string" }));
    json!({ "$ref": "#/$defs/T0", "$defs": defs })
}

#[test]
fn growth_is_cut_evenly() {
    let schema = whole(fan(6));
    assert_eq!(
        schema.pointer(
            "/properties/c/properties/a/properties/b/properties/a/properties/a/properties/a/type"
        ),
        Some(&json!("string"))
    );
    for depth in [7, 12, 40] {
        let (schema, lost) = lossy(fan(depth));
        // The count includes nodes and the maps that hold properties.
        assert!(count(&schema) < 2 * MAX_NODES, "{depth}");
        assert!(!lost.is_empty(), "{depth}");
        assert_eq!(schema.pointer("/properties/a/properties/a/type"), Some(&json!("object")));
        let (a, c) =
            (&schema["properties"]["a"]["properties"], &schema["properties"]["c"]["properties"]);
        assert_eq!(a, c, "all branches are cut at the same depth");
    }
}

#[test]
fn plain_values_are_never_cut() {
    let mut exact = fan(12);
    let unit = json!({ "oneOf": [{ "const": "c", "description": "Celsius." }, { "const": "f" }] });
    exact["$defs"]["Unit"] = unit;
    for level in 0..12 {
        exact["$defs"][format!("T{level}")]["properties"]["unit"] =
            json!({ "$ref": "#/$defs/Unit" });
    }
    let (schema, lost) = lossy(exact);
    let mut deepest = &schema;
    while let Some(next) = deepest["properties"].get("a") {
        assert_eq!(deepest["properties"]["unit"]["enum"], json!(["c", "f"]));
        deepest = next;
    }
    assert_eq!(deepest, &json!({ "type": "object", "description": "The next." }));
    assert!(!lost.iter().any(|pointer| pointer.ends_with("unit")));
}

#[test]
fn types_that_all_name_each_other_end() {
    let names = 0..12;
    let everyone: Map<_, _> = names
        .clone()
        .map(|n| (format!("f{n}"), json!({ "$ref": format!("#/$defs/T{n}") })))
        .collect();
    let defs: Map<_, _> = names
        .map(|n| (format!("T{n}"), json!({ "type": "object", "properties": everyone })))
        .collect();
    let (schema, lost) = lossy(json!({ "$ref": "#/$defs/T0", "$defs": defs }));
    assert!(count(&schema) < 2 * MAX_NODES);
    assert!(!lost.is_empty());
}

#[test]
fn flat_schema_of_any_size_stays_whole() {
    let properties: Map<_, _> =
        (0..2 * MAX_NODES).map(|n| (format!("f{n}"), json!({ "type": "string" }))).collect();
    let exact = json!({ "type": "object", "properties": properties });
    assert_eq!(whole(exact.clone()), exact);
}

#[test]
fn depth_ends() {
    let nested = |depth| {
        (0..depth).fold(
            json!({ "type": "string" }),
            |inner, _| json!({ "type": "array", "items": inner }),
        )
    };
    assert_eq!(whole(nested(MAX_DEPTH)), nested(MAX_DEPTH));
    assert_eq!(lossy(nested(MAX_DEPTH + 1)).1.len(), 1);
}
