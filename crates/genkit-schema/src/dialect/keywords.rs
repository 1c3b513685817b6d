//! The keywords of an exact schema, for conversion into the dialect of a provider.
//!
//! An exact schema is a root schema of schemars, draft 2020-12, or a hand-written schema. No function here panics on an
//! invalid schema.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::json::pointer;

/// Returns the target of a `$ref`, and its pointer.
pub fn resolve_reference<'a>(
    root: &'a Value,
    reference: &Value,
) -> Option<(&'a Map<String, Value>, String)> {
    let pointer = pointer::from_reference(reference.as_str()?)?;
    Some((root.pointer(&pointer)?.as_object()?, pointer))
}

/// Merges the target of a `$ref` with its sibling keywords, which take precedence. Properties and required names of
/// both are combined.
pub fn merge_schemas(
    target: &Map<String, Value>,
    siblings: &Map<String, Value>,
) -> Map<String, Value> {
    let mut merged = target.clone();
    for (key, value) in siblings.iter().filter(|(key, _)| *key != "$ref") {
        match (key.as_str(), merged.get_mut(key), value) {
            ("properties", Some(Value::Object(all)), Value::Object(more)) => {
                all.extend(more.iter().map(|(name, schema)| (name.clone(), schema.clone())));
            }
            ("required", Some(Value::Array(all)), Value::Array(more)) => {
                let mut known: HashSet<String> = all.iter().map(Value::to_string).collect();
                all.extend(more.iter().filter(|name| known.insert(name.to_string())).cloned());
            }
            _ => {
                merged.insert(key.clone(), value.clone());
            }
        }
    }
    merged
}

/// Returns the types in `type`, in order.
pub fn listed_types(map: &Map<String, Value>) -> Vec<&str> {
    match map.get("type") {
        Some(Value::String(only)) => vec![only],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Returns the fixed values of a schema: its `enum`, or its `const`.
pub fn fixed_values(map: &Map<String, Value>) -> Option<Vec<Value>> {
    if let Some(only) = map.get("const") {
        return Some(vec![only.clone()]);
    }
    map.get("enum")?.as_array().cloned()
}

/// Returns the keyword (`anyOf` or `oneOf`) and the branches of a schema that is a choice.
pub fn find_choice(map: &Map<String, Value>) -> Option<(&'static str, &Vec<Value>)> {
    ["anyOf", "oneOf"].into_iter().find_map(|key| Some((key, map.get(key)?.as_array()?)))
}

/// Returns the distinct item schemas with their indexes if the schema describes a tuple.
pub fn tuple_items(map: &Map<String, Value>) -> Option<Vec<(usize, &Value)>> {
    let mut known = HashSet::new();
    let items = map.get("prefixItems")?.as_array()?.iter().enumerate();
    Some(items.filter(|(_, schema)| known.insert(schema.to_string())).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn merging_many_required_names_is_linear() {
        let names = |from: usize| (from..from + 30_000).map(|n| json!(n.to_string())).collect();
        let of = |from| Map::from_iter([("required".to_owned(), Value::Array(names(from)))]);
        let both = merge_schemas(&of(0), &of(15_000));
        assert_eq!(both["required"].as_array().map(Vec::len), Some(45_000));
        let items: Vec<Value> = (0..30_000).map(|n| json!({ "const": n % 20_000 })).collect();
        let tuple = Map::from_iter([("prefixItems".to_owned(), Value::Array(items))]);
        assert_eq!(tuple_items(&tuple).map(|kinds| kinds.len()), Some(20_000));
    }
}
