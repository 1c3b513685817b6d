//! Defaults of a hand-written schema, filled in before a value is checked.

use std::collections::HashSet;

use serde_json::{Map, Value};

/// Fills in the defaults of properties that `value` lacks, at the top level and in the objects and lists that are
/// present.
pub(crate) fn fill_defaults(schema: &Value, value: &mut Value) {
    match value {
        Value::Object(members) => {
            let Some(properties) = own_properties(schema) else { return };
            for (name, property) in properties {
                match (members.get_mut(name), property.get("default")) {
                    (Some(member), _) => fill_defaults(property, member),
                    (None, Some(default)) => {
                        members.insert(name.clone(), default.clone());
                    }
                    (None, None) => {}
                }
            }
        }
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                items.iter_mut().for_each(|item| fill_defaults(schema, item));
            }
        }
        _ => {}
    }
}

/// Removes empty strings of optional arguments that do not accept text. Forms send them for fields that were left
/// empty.
pub(crate) fn drop_blanks(schema: &Value, value: &mut Value) {
    let (Some(members), Some(properties)) = (value.as_object_mut(), own_properties(schema)) else {
        return;
    };
    let required = required_names(schema);
    let is_required =
        |name: &str, property: &Value| property.get("default").is_none() && required.contains(name);
    members.retain(|name, member| {
        let Some(property) = properties.get(name).filter(|_| *member == "") else { return true };
        accepts_text(property) || is_required(name, property)
    });
}

/// Returns the names of required properties.
pub(super) fn required_names(schema: &Value) -> HashSet<&str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str).collect()
}

fn own_properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties")?.as_object()
}

/// Returns whether a property accepts, or may accept, an empty text.
fn accepts_text(property: &Value) -> bool {
    match (property.get("type"), property.get("enum").and_then(Value::as_array)) {
        (_, Some(values)) => values.iter().any(|value| value == ""),
        (Some(Value::String(kind)), None) => kind == "string",
        (Some(Value::Array(kinds)), None) => kinds.iter().any(|kind| kind == "string"),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "city": {"type": "string"},
                "days": {"type": "integer", "default": 3},
                "note": {"type": ["string", "null"], "default": "none"},
                "trip": {"type": "object", "properties": {"car": {"type": "boolean", "default": true}}},
                "stops": {"type": "array", "items": {"properties": {"n": {"default": 1}}}},
                "tone": {"enum": ["kind", "stern"]},
            },
            "required": ["city", "days"],
        })
    }

    #[test]
    fn defaults_replace_missing_and_null_values() {
        let mut value = json!({"city": "Rome", "note": null, "trip": {}, "stops": [{}, {"n": 2}]});
        fill_defaults(&schema(), &mut value);
        let filled = json!({
            "city": "Rome", "note": null, "trip": {"car": true}, "stops": [{"n": 1}, {"n": 2}], "days": 3,
        });
        assert_eq!(value, filled);
    }

    #[test]
    fn empty_text_is_nothing_where_a_text_does_not_fit() {
        let mut value = json!({"city": "", "days": "", "note": "", "tone": "", "other": ""});
        drop_blanks(&schema(), &mut value);
        assert_eq!(value, json!({"city": "", "note": "", "other": ""}));
    }
}
