//! Optional properties, which are nullable in strict mode.

use serde_json::{Map, Value, json};

/// Moves the annotations out of a strict schema.
fn take_notes(map: &mut Map<String, Value>) -> Map<String, Value> {
    let mut notes = Map::new();
    for key in ["title", "description"] {
        notes.extend(map.shift_remove(key).map(|note| (key.to_owned(), note)));
    }
    notes
}

/// Returns a schema that also accepts null.
pub(super) fn make_nullable(schema: Value) -> Value {
    let Value::Object(mut map) = schema else {
        return schema;
    };
    let null = json!({ "type": "null" });
    if let Some(Value::Array(branches)) = map.get_mut("anyOf") {
        if !branches.contains(&null) {
            branches.push(null);
        }
        return Value::Object(map);
    }
    // Adding null to an enum would change the enum for the reader of the schema.
    let enum_without_null =
        map.get("enum").and_then(Value::as_array).is_some_and(|all| !all.contains(&Value::Null));
    if map.contains_key("$ref") || map.contains_key("const") || enum_without_null {
        let mut around = take_notes(&mut map);
        around.insert("anyOf".to_owned(), Value::Array(vec![Value::Object(map), null]));
        return Value::Object(around);
    }
    match map.get_mut("type") {
        Some(Value::Array(several)) if !several.iter().any(|name| name == "null") => {
            several.push("null".into());
        }
        Some(kind @ Value::String(_)) if kind != "null" => *kind = json!([kind.clone(), "null"]),
        _ => {}
    }
    Value::Object(map)
}
