//! Conversion of a tool's schema, whose root must be an object.

use serde_json::{Map, Value, json};

use genkit_schema::internal::dialect::{find_choice, merge_schemas, resolve_reference};

/// The maximum number of references and parts to inline at the root. Default is 256, which ends
/// recursion.
const MAX_STEPS: usize = 256;

/// Returns the schema with a root of the type `object` and without a choice there, and whether it
/// accepts more values.
pub(super) fn object_root(exact: &Value) -> (Value, bool) {
    let Value::Object(map) = exact else {
        return (json!({ "type": "object" }), exact != &Value::Bool(true));
    };
    let is_plain = !["$ref", "anyOf", "oneOf", "allOf"].iter().any(|key| map.contains_key(*key));
    if is_plain && map.get("type").is_some_and(|kind| kind == "object") {
        return (exact.clone(), false);
    }
    let mut steps = MAX_STEPS;
    let mut root = resolve_map(exact, map, &mut steps);
    let is_wider = find_choice(&root).is_some();
    if let Some((key, branches)) = find_choice(&root) {
        let branches: Vec<_> = branches
            .iter()
            .filter_map(Value::as_object)
            .map(|branch| resolve_map(exact, branch, &mut steps))
            .collect();
        root.remove(key);
        side_by_side(&mut root, &branches);
    }
    root.insert("type".to_owned(), "object".into());
    // Definitions are only at the root.
    for key in ["$defs", "definitions"] {
        if let Some(definitions) = map.get(key) {
            root.insert(key.to_owned(), definitions.clone());
        }
    }
    (Value::Object(root), is_wider)
}

/// Inlines references and `allOf`, at most `steps` of them.
fn resolve_map(root: &Value, map: &Map<String, Value>, steps: &mut usize) -> Map<String, Value> {
    let mut map = map.clone();
    while *steps > 0 {
        *steps -= 1;
        if let Some(reference) = map.remove("$ref") {
            let Some((target, _)) = resolve_reference(root, &reference) else { break };
            map = merge_schemas(target, &map);
        } else if let Some(Value::Array(parts)) = map.remove("allOf") {
            for part in parts.iter().filter_map(Value::as_object) {
                map = merge_schemas(&resolve_map(root, part, steps), &map);
            }
        } else {
            break;
        }
    }
    map.remove("$ref");
    map.remove("allOf");
    map
}

/// Adds the properties of all branches; the ones that every branch requires are required.
fn side_by_side(root: &mut Map<String, Value>, branches: &[Map<String, Value>]) {
    let mut properties = match root.remove("properties") {
        Some(Value::Object(own)) => own,
        _ => Map::new(),
    };
    for (name, schema) in
        branches.iter().filter_map(|it| it.get("properties")?.as_object()).flatten()
    {
        match properties.get_mut(name) {
            None => drop(properties.insert(name.clone(), schema.clone())),
            Some(known) if known == schema => {}
            Some(known) => match known.get_mut("anyOf").and_then(Value::as_array_mut) {
                Some(several) if several.contains(schema) => {}
                Some(several) => several.push(schema.clone()),
                None => *known = json!({ "anyOf": [known.take(), schema] }),
            },
        }
    }
    let requires = |branch: &Map<String, Value>, name: &Value| {
        branch.get("required").and_then(Value::as_array).is_some_and(|all| all.contains(name))
    };
    let first = branches.first().and_then(|it| it.get("required")?.as_array());
    let all =
        first.into_iter().flatten().filter(|name| branches.iter().all(|it| requires(it, name)));
    let mut required: Vec<Value> = all.cloned().collect();
    if let Some(Value::Array(own)) = root.remove("required") {
        let new: Vec<_> = own.into_iter().filter(|name| !required.contains(name)).collect();
        required.extend(new);
    }
    root.insert("properties".to_owned(), properties.into());
    if !required.is_empty() {
        root.insert("required".to_owned(), required.into());
    }
}
