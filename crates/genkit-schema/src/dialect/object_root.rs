//! The root of a tool's input schema: an object without a choice, because providers and several clients reject a choice
//! at the root.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::conversion::Loss;
use crate::dialect::{find_choice, fixed_values, merge_schemas, resolve_reference};

/// The maximum number of references and parts to inline at the root. Default is 256, which ends recursion.
const MAX_STEPS: usize = 256;

/// The keywords that are not allowed at the root.
const REFUSED: [&str; 10] =
    ["$ref", "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "enum", "const"];

/// Returns the schema with an object at its root and without a choice, a condition or a reference there. The properties
/// of all branches of a choice are combined. The result accepts more values, which is reported as a loss.
pub fn object_root(exact: &Value) -> (Cow<'_, Value>, Option<Loss>) {
    let Value::Object(map) = exact else {
        let loss = (exact != &Value::Bool(true)).then(|| wider_root("it is not an object"));
        return (Cow::Owned(json!({ "type": "object" })), loss);
    };
    let is_plain = !REFUSED.iter().any(|key| map.contains_key(*key));
    if is_plain && map.get("type").is_some_and(|kind| kind == "object") {
        return (Cow::Borrowed(exact), None);
    }
    let mut steps = MAX_STEPS;
    let mut root = resolve_map(exact, map, &mut steps);
    let mut loss = None;
    while let Some((key, branches)) = find_choice(&root) {
        loss = Some(wider_root(
            "it has a choice, so all properties of its branches are listed together",
        ));
        let branches = flatten_branches(exact, branches, &mut steps);
        root.shift_remove(key);
        merge_properties(&mut root, &branches);
    }
    for keyword in REFUSED {
        if root.shift_remove(keyword).is_some() {
            loss.get_or_insert_with(|| wider_root(&format!("`{keyword}` is not allowed there")));
        }
    }
    root.insert("type".to_owned(), "object".into());
    root.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    // Definitions are only at the root.
    for key in ["$defs", "definitions"] {
        if let Some(definitions) = map.get(key) {
            root.insert(key.to_owned(), definitions.clone());
        }
    }
    (Cow::Owned(Value::Object(root)), loss)
}

fn wider_root(why: &str) -> Loss {
    Loss {
        pointer: String::new(),
        what: format!("the root of the schema must be an object without a choice: {why}"),
        remedy:
            "move the choice into a property; otherwise, invalid combinations are rejected only when the tool is called"
                .to_owned(),
    }
}

/// Inlines references and `allOf`, at most `steps` of them.
fn resolve_map(root: &Value, map: &Map<String, Value>, steps: &mut usize) -> Map<String, Value> {
    let mut map = map.clone();
    while *steps > 0 {
        *steps -= 1;
        if let Some(reference) = map.shift_remove("$ref") {
            let Some((target, _)) = resolve_reference(root, &reference) else { break };
            map = merge_schemas(target, &map);
        } else if let Some(Value::Array(parts)) = map.shift_remove("allOf") {
            for part in parts.iter().filter_map(Value::as_object) {
                map = merge_schemas(&resolve_map(root, part, steps), &map);
            }
        } else {
            break;
        }
    }
    map.shift_remove("$ref");
    map.shift_remove("allOf");
    map
}

/// Returns the branches of a choice, with nested choices flattened.
fn flatten_branches(
    root: &Value,
    branches: &[Value],
    steps: &mut usize,
) -> Vec<Map<String, Value>> {
    let mut flat = Vec::new();
    for branch in branches.iter().filter_map(Value::as_object) {
        let mut branch = resolve_map(root, branch, steps);
        match find_choice(&branch) {
            Some((key, inner)) if *steps > 0 => {
                let inner = flatten_branches(root, inner, steps);
                branch.shift_remove(key);
                flat.extend(inner.iter().map(|inner| merge_schemas(&branch, inner)));
            }
            _ => flat.push(branch),
        }
    }
    flat
}

/// Adds the properties of all branches. Properties that every branch requires are required.
fn merge_properties(root: &mut Map<String, Value>, branches: &[Map<String, Value>]) {
    let mut properties = match root.shift_remove("properties") {
        Some(Value::Object(own)) => own,
        _ => Map::new(),
    };
    for (name, schema) in
        branches.iter().filter_map(|it| it.get("properties")?.as_object()).flatten()
    {
        match properties.get_mut(name) {
            None => drop(properties.insert(name.clone(), schema.clone())),
            Some(known) => add_alternative(known, schema),
        }
    }
    let requires = |branch: &Map<String, Value>, name: &Value| {
        branch.get("required").and_then(Value::as_array).is_some_and(|all| all.contains(name))
    };
    let first = branches.first().and_then(|it| it.get("required")?.as_array());
    let all =
        first.into_iter().flatten().filter(|name| branches.iter().all(|it| requires(it, name)));
    let mut required: Vec<Value> = all.cloned().collect();
    if let Some(Value::Array(own)) = root.shift_remove("required") {
        let new: Vec<_> = own.into_iter().filter(|name| !required.contains(name)).collect();
        required.extend(new);
    }
    // A branch may have properties that another branch does not allow.
    let is_closed = |branch: &Map<String, Value>| {
        ["additionalProperties", "unevaluatedProperties"]
            .iter()
            .any(|keyword| branch.get(*keyword) == Some(&Value::Bool(false)))
    };
    let were_closed = is_closed(root);
    root.shift_remove("additionalProperties");
    root.shift_remove("unevaluatedProperties");
    if were_closed || (!branches.is_empty() && branches.iter().all(is_closed)) {
        root.insert("additionalProperties".to_owned(), false.into());
    }
    root.insert("properties".to_owned(), properties.into());
    if !required.is_empty() {
        root.insert("required".to_owned(), required.into());
    }
    describe_branches(root, branches);
}

/// Makes `known` accept the values of `schema` as well.
fn add_alternative(known: &mut Value, schema: &Value) {
    if known == schema {
        return;
    }
    // The tag of an enum: each branch has one value.
    if let (Some(mut values), Some(more)) = (only_values(known), only_values(schema)) {
        values.extend(more.into_iter().filter(|value| !values.contains(value)).collect::<Vec<_>>());
        let kinds = crate::json::json_type::list_types(&values);
        *known = match kinds[..] {
            [only] => json!({ "type": only, "enum": values }),
            _ => json!({ "enum": values }),
        };
        return;
    }
    match known.get_mut("anyOf").and_then(Value::as_array_mut) {
        Some(several) if several.contains(schema) => {}
        Some(several) => several.push(schema.clone()),
        None => *known = json!({ "anyOf": [known.take(), schema] }),
    }
}

/// Returns the values of a schema that only lists values.
fn only_values(schema: &Value) -> Option<Vec<Value>> {
    let map = schema.as_object()?;
    let is_only = map.keys().all(|key| matches!(key.as_str(), "type" | "const" | "enum"));
    fixed_values(map).filter(|_| is_only)
}

/// Describes which properties belong together.
fn describe_branches(root: &mut Map<String, Value>, branches: &[Map<String, Value>]) {
    /// The maximum number of branches that are described.
    const MAX_DESCRIBED: usize = 32;
    let shapes: Vec<String> = branches.iter().filter_map(branch_shape).collect();
    if shapes.len() < 2 || shapes.len() > MAX_DESCRIBED {
        return;
    }
    let shapes = format!("Pass one of these sets of properties: {}.", shapes.join("; "));
    let described = match root.get("description").and_then(Value::as_str) {
        Some(own) => format!("{own}\n\n{shapes}"),
        None => shapes,
    };
    root.insert("description".to_owned(), described.into());
}

/// Returns the required properties of a branch, such as `kind` = "circle", `radius`.
fn branch_shape(branch: &Map<String, Value>) -> Option<String> {
    let properties = branch.get("properties").and_then(Value::as_object);
    let required = branch.get("required").and_then(Value::as_array)?;
    let names = required.iter().filter_map(Value::as_str).map(|name| {
        let schema = properties.and_then(|all| all.get(name)).and_then(Value::as_object);
        match schema.and_then(fixed_values).as_deref() {
            Some([only]) => format!("`{name}` = {only}"),
            _ => format!("`{name}`"),
        }
    });
    let names: Vec<String> = names.collect();
    (!names.is_empty()).then(|| names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_of_all_branches_are_side_by_side() {
        let exact = json!({
            "$ref": "#/$defs/shape",
            "$defs": { "shape": { "oneOf": [
                { "type": "object", "required": ["kind", "r"],
                  "properties": { "kind": { "const": "circle", "type": "string" }, "r": { "type": "number" } } },
                { "type": "object", "required": ["kind"],
                  "properties": { "kind": { "const": "point" }, "r": { "type": "string" } } }
            ] } }
        });
        let (root, loss) = object_root(&exact);
        assert!(loss.is_some());
        assert_eq!(
            root["properties"]["kind"],
            json!({ "type": "string", "enum": ["circle", "point"] })
        );
        assert_eq!(root["properties"]["r"]["anyOf"].as_array().map(Vec::len), Some(2));
        assert_eq!((&root["required"], &root["type"]), (&json!(["kind"]), &json!("object")));
        assert_eq!(root["$defs"], exact["$defs"]);
        let text =
            "Pass one of these sets of properties: `kind` = \"circle\", `r`; `kind` = \"point\".";
        assert_eq!(root["description"], text);
        assert!(REFUSED.iter().all(|keyword| root.get(keyword).is_none()));
    }

    #[test]
    fn other_roots_become_objects() {
        let plain = json!({ "type": "object", "properties": { "a": {} } });
        assert!(matches!(object_root(&plain), (Cow::Borrowed(_), None)));
        let reference =
            json!({ "$ref": "#/$defs/b", "$defs": { "b": { "properties": { "b": {} } } } });
        let (root, loss) = object_root(&reference);
        assert_eq!((&root["properties"], loss), (&json!({ "b": {} }), None));
        assert_eq!(object_root(&json!(true)).0.into_owned(), json!({ "type": "object" }));
        let circle = json!({ "$ref": "#" });
        assert_eq!(object_root(&circle).0["type"], "object");
        let condition =
            json!({ "type": "object", "if": {}, "then": {}, "not": { "required": ["a"] } });
        let (root, loss) = object_root(&condition);
        assert_eq!(
            (root.into_owned(), loss.is_some()),
            (json!({ "type": "object", "properties": {} }), true)
        );
        let nested = json!({ "anyOf": [{ "oneOf": [{ "properties": { "a": {} } }] }, { "properties": { "b": {} } }] });
        assert_eq!(object_root(&nested).0["properties"], json!({ "a": {}, "b": {} }));
    }
}
