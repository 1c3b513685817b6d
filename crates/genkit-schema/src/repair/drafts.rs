//! Keywords of older drafts and of OpenAPI, and the keywords of draft 2020-12 that replace them.

use serde_json::{Map, Number, Value, json};

/// Replaces older keywords. Returns the names of the properties that contain `required: true`, as in draft 3.
pub(super) fn modernize(map: &mut Map<String, Value>) -> Vec<Value> {
    split_type(map);
    for (old, new) in
        [("divisibleBy", "multipleOf"), ("$recursiveRef", "$ref"), ("$dynamicRef", "$ref")]
    {
        rename(map, old, new);
    }
    rename(map, "$dynamicAnchor", "$anchor");
    if map.get("id").is_some_and(Value::is_string) {
        rename(map, "id", "$id");
    }
    for keyword in ["$schema", "$recursiveAnchor", "$vocabulary"] {
        map.shift_remove(keyword);
    }
    if let Some(extended) = map.shift_remove("extends") {
        let all = if extended.is_array() { extended } else { json!([extended]) };
        map.entry("allOf").or_insert(all);
    }
    if let Some(disallowed) = map.shift_remove("disallow") {
        map.entry("not").or_insert_with(|| json!({ "type": disallowed }));
    }
    split_items(map);
    split_dependencies(map);
    for (flag, limit) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        let Some(Value::Bool(is_exclusive)) = map.get(flag) else { continue };
        let is_exclusive = *is_exclusive;
        map.shift_remove(flag);
        if is_exclusive && let Some(limit) = map.shift_remove(limit) {
            map.insert(flag.to_owned(), limit);
        }
    }
    if let Some(example) = map.shift_remove("example") {
        map.entry("examples").or_insert_with(|| json!([example]));
    }
    add_null(map);
    required_properties(map)
}

fn rename(map: &mut Map<String, Value>, old: &str, new: &str) {
    if !map.contains_key(new)
        && let Some(value) = map.shift_remove(old)
    {
        map.insert(new.to_owned(), value);
    } else {
        map.shift_remove(old);
    }
}

/// Converts a list of `items` to `prefixItems`, and `additionalItems` to `items`.
fn split_items(map: &mut Map<String, Value>) {
    let rest = map.shift_remove("additionalItems");
    if !map.get("items").is_some_and(Value::is_array) {
        return;
    }
    let items = map.shift_remove("items");
    if items.as_ref().and_then(Value::as_array).is_some_and(|items| !items.is_empty()) {
        map.extend(items.map(|items| ("prefixItems".to_owned(), items)));
        map.extend(rest.map(|rest| ("items".to_owned(), rest)));
    }
}

fn split_dependencies(map: &mut Map<String, Value>) {
    let Some(Value::Object(all)) = map.shift_remove("dependencies") else { return };
    for (name, needs) in all {
        let (keyword, needs) = match needs {
            Value::Object(_) | Value::Bool(_) => ("dependentSchemas", needs),
            Value::String(_) => ("dependentRequired", json!([needs])),
            needs => ("dependentRequired", needs),
        };
        let part = map.entry(keyword).or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(part) = part {
            part.insert(name, needs);
        }
    }
}

/// Converts a list of types that contains schemas (draft 3) to a choice.
fn split_type(map: &mut Map<String, Value>) {
    match map.get("type") {
        Some(Value::Array(types)) if types.iter().any(Value::is_object) => {
            let types = types.iter().map(|one| match one {
                Value::Object(_) => one.clone(),
                name => json!({ "type": name }),
            });
            let branches: Value = types.collect();
            map.shift_remove("type");
            map.entry("anyOf").or_insert(branches);
        }
        Some(Value::Object(_)) => {
            // A schema instead of the name of a type.
            if let Some(Value::Object(inner)) = map.shift_remove("type") {
                for (keyword, value) in inner {
                    map.entry(keyword).or_insert(value);
                }
            }
        }
        _ => {}
    }
}

/// Converts `nullable` of OpenAPI 3.0 to a `null` type.
fn add_null(map: &mut Map<String, Value>) {
    let is_nullable = map.shift_remove("nullable");
    if !matches!(is_nullable, Some(Value::Bool(true))) {
        return;
    }
    if let Some(Value::Array(listed)) = map.get_mut("enum")
        && !listed.contains(&Value::Null)
    {
        listed.push(Value::Null);
    }
    match map.get_mut("type") {
        Some(Value::Array(types)) if !types.iter().any(|name| name == "null") => {
            types.push("null".into());
        }
        Some(kind @ Value::String(_)) if *kind != "null" => *kind = json!([kind.take(), "null"]),
        Some(_) => {}
        None => {
            if let Some(Value::Array(branches)) = map.get_mut("anyOf") {
                branches.push(json!({ "type": "null" }));
            } else if ["$ref", "oneOf", "allOf"].iter().any(|keyword| map.contains_key(*keyword)) {
                let mut inner = Map::new();
                for keyword in ["$ref", "oneOf", "allOf"] {
                    inner
                        .extend(map.shift_remove(keyword).map(|value| (keyword.to_owned(), value)));
                }
                map.insert("anyOf".to_owned(), json!([inner, { "type": "null" }]));
            }
        }
    }
}

/// Returns the names of the properties that contain `required: true`.
fn required_properties(map: &mut Map<String, Value>) -> Vec<Value> {
    let mut names = Vec::new();
    if map.get("required").is_some_and(Value::is_boolean) {
        map.shift_remove("required");
    }
    if let Some(Value::Object(properties)) = map.get_mut("properties") {
        for (name, property) in properties {
            let Value::Object(property) = property else { continue };
            if property.get("required") == Some(&Value::Bool(true)) {
                names.push(Value::from(name.as_str()));
            }
        }
    }
    names
}

/// Returns a number, or parses the number in a string.
pub(super) fn number(value: &Value) -> Option<Number> {
    match value {
        Value::Number(number) => Some(number.clone()),
        Value::String(text) => text.trim().parse::<Number>().ok(),
        _ => None,
    }
}
