//! Changes of the custom state, as JSON Patch (RFC 6902).

use serde_json::{Value, json};

/// Returns the operations that turn `old` into `new`. Lists are replaced as a whole.
pub(crate) fn diff(old: &Value, new: &Value) -> Vec<Value> {
    let mut operations = Vec::new();
    push_changes(old, new, &mut String::new(), &mut operations);
    operations
}

/// Returns the operation that replaces the whole document.
pub(crate) fn replace_all(new: &Value) -> Vec<Value> {
    vec![json!({"op": "replace", "path": "", "value": new})]
}

// The depth is bounded by the depth of values that serde_json parses.
fn push_changes(old: &Value, new: &Value, path: &mut String, operations: &mut Vec<Value>) {
    let (Value::Object(before), Value::Object(after)) = (old, new) else {
        if old != new {
            operations.push(json!({"op": "replace", "path": path, "value": new}));
        }
        return;
    };
    let length = path.len();
    for (key, value) in after {
        path.push('/');
        path.push_str(&key.replace('~', "~0").replace('/', "~1"));
        match before.get(key) {
            Some(kept) => push_changes(kept, value, path, operations),
            None => operations.push(json!({"op": "add", "path": path, "value": value})),
        }
        path.truncate(length);
    }
    for key in before.keys().filter(|key| !after.contains_key(*key)) {
        let key = key.replace('~', "~0").replace('/', "~1");
        operations.push(json!({"op": "remove", "path": format!("{path}/{key}")}));
    }
}
