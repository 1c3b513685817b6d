//! What a check against a schema of somebody else may cost.

use serde_json::Value;

/// How many schemas a check may go through. Default is 10,000.
const MAX_VISITS: usize = 10_000;

/// How deep they may be inside each other, references included. Default is 64.
const MAX_DEPTH: usize = 64;

/// Whether a check ends soon: a few hundred references can stand for more work than a computer does in
/// its life.
pub(super) fn is_bounded(schema: &Value) -> bool {
    let mut visits = 0;
    visit(schema, schema, &mut Vec::new(), &mut visits, 0)
}

fn visit<'a>(
    root: &'a Value,
    node: &'a Value,
    under_way: &mut Vec<&'a str>,
    visits: &mut usize,
    depth: usize,
) -> bool {
    *visits += 1;
    if *visits > MAX_VISITS || depth > MAX_DEPTH {
        return false;
    }
    let mut inside = |node| visit(root, node, under_way, visits, depth + 1);
    let children = match node {
        Value::Object(map) => map.values().all(&mut inside),
        Value::Array(items) => items.iter().all(&mut inside),
        _ => true,
    };
    if !children {
        return false;
    }
    let Some(reference) = node.get("$ref").and_then(Value::as_str) else { return true };
    // What refers to itself goes no deeper than what it is checked against.
    if under_way.contains(&reference) {
        return true;
    }
    let Some(target) = reference.strip_prefix('#').and_then(|at| root.pointer(at)) else {
        return true;
    };
    under_way.push(reference);
    let fits = visit(root, target, under_way, visits, depth + 1);
    under_way.pop();
    fits
}

#[cfg(test)]
mod tests {
    use super::is_bounded;
    use serde_json::{Map, Value, json};

    #[test]
    fn usual_and_recursive_schemas_are_bounded() {
        assert!(is_bounded(&json!({"type": "object", "properties": {"a": {"type": "string"}}})));
        let tree = json!({
            "$defs": {"node": {"properties": {"children": {"items": {"$ref": "#/$defs/node"}}}}},
            "$ref": "#/$defs/node",
        });
        assert!(is_bounded(&tree));
    }

    #[test]
    fn what_doubles_with_each_reference_is_not() {
        let mut defs = Map::new();
        for n in 0..40 {
            let next = json!({"$ref": format!("#/$defs/a{}", n + 1)});
            defs.insert(format!("a{n}"), json!({"allOf": [next, next]}));
        }
        defs.insert("a40".to_owned(), Value::Bool(true));
        assert!(!is_bounded(&json!({"$defs": defs, "$ref": "#/$defs/a0"})));
    }
}
