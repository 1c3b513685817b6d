//! Wrapped results: a number or a list inside an object, for protocol versions that allow only objects.
//!
//! A wrapper is marked in the schema and in each result, so that the receiver can remove it without guessing. FastMCP
//! marks its wrappers in the same two places.

use serde_json::json;
use serde_json::{Map, Value};

/// The only member of a wrapper.
const MEMBER: &str = "result";

/// The marks of a wrapper in an output schema: this crate's and FastMCP's.
const SCHEMA_MARKS: [&str; 2] = ["x-genkit-wrap-result", "x-fastmcp-wrap-result"];

/// This crate's mark of a wrapper in the `_meta` of a result.
const META_MARK: &str = "genkit/wrap-result";

/// FastMCP's mark of a wrapper in the `_meta` of a result: the object and its member.
const FASTMCP: (&str, &str) = ("fastmcp", "wrap_result");

/// The members of a schema that contain the targets of references.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// Returns the schema of a wrapper for values that match `schema`.
pub fn wrap_schema(schema: &Map<String, Value>) -> Map<String, Value> {
    let mut inner = schema.clone();
    let mut wrapper = Map::new();
    wrapper.insert("type".to_owned(), "object".into());
    for key in DEFINITIONS {
        if let Some(definitions) = inner.shift_remove(key) {
            wrapper.insert(key.to_owned(), definitions);
        }
    }
    wrapper.insert("properties".to_owned(), json!({ MEMBER: inner }));
    wrapper.insert("required".to_owned(), json!([MEMBER]));
    wrapper.insert(SCHEMA_MARKS[0].to_owned(), true.into());
    wrapper
}

/// Wraps a value, and marks the wrapper in the `_meta` of the result.
pub fn wrap(value: Value, meta: &mut Map<String, Value>) -> Value {
    meta.insert(META_MARK.to_owned(), true.into());
    json!({ MEMBER: value })
}

/// Returns the schema of the wrapped value; `None` if the schema is not marked as a wrapper.
pub fn unwrap_schema(schema: &Value) -> Option<Value> {
    SCHEMA_MARKS.iter().find(|mark| schema[**mark] == true)?;
    let mut inner = schema["properties"].get(MEMBER)?.clone();
    if let Value::Object(inner) = &mut inner {
        for key in DEFINITIONS {
            if let Some(definitions) = schema.get(key) {
                inner.entry(key).or_insert_with(|| definitions.clone());
            }
        }
    }
    Some(inner)
}

/// Removes the marks of a wrapper from the `_meta` of a result, so that the unwrapped result can be forwarded. Returns
/// whether there was a mark.
pub fn take_mark(meta: &mut Map<String, Value>) -> bool {
    let ours = meta.shift_remove(META_MARK);
    let (folder, member) = FASTMCP;
    let theirs = meta.get_mut(folder).and_then(Value::as_object_mut);
    let (theirs, is_empty) = match theirs {
        Some(map) => (map.shift_remove(member), map.is_empty()),
        None => (None, false),
    };
    if theirs.is_some() && is_empty {
        meta.shift_remove(folder);
    }
    [ours, theirs].contains(&Some(Value::Bool(true)))
}

/// Returns the wrapped value, if `value` is an object with the only member `result`.
pub fn unwrap_value(value: &Value) -> Option<&Value> {
    let only = value.as_object().filter(|map| map.len() == 1)?;
    only.get(MEMBER)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().cloned().expect("an object")
    }

    #[test]
    fn wrapper_of_a_schema_is_removed() {
        let schema = json!({
            "type": "array",
            "items": {"$ref": "#/$defs/Note"},
            "$defs": {"Note": {"type": "string"}},
        });
        let wrapped = Value::Object(wrap_schema(&object(schema.clone())));
        assert_eq!(wrapped["type"], "object");
        assert_eq!(wrapped["$defs"]["Note"], json!({"type": "string"}), "references still resolve");
        assert_eq!(unwrap_schema(&wrapped), Some(schema));
    }

    #[test]
    fn only_marked_schemas_are_wrappers() {
        let mut schema = json!({
            "type": "object",
            "properties": {"result": {"type": "integer"}},
            "required": ["result"],
        });
        assert_eq!(unwrap_schema(&schema), None);
        schema["x-fastmcp-wrap-result"] = true.into();
        assert_eq!(unwrap_schema(&schema), Some(json!({"type": "integer"})));
        schema["x-fastmcp-wrap-result"] = false.into();
        assert_eq!(unwrap_schema(&schema), None);
    }

    #[test]
    fn marks_are_taken_with_the_wrapper_and_nothing_else() {
        let mut meta = object(json!({"a": 1}));
        let wrapped = wrap(json!(5), &mut meta);
        assert_eq!(unwrap_value(&wrapped), Some(&json!(5)));
        assert!(take_mark(&mut meta));
        assert_eq!(meta, object(json!({"a": 1})));
        assert!(!take_mark(&mut meta));
        let mut meta = object(json!({"fastmcp": {"wrap_result": true, "tags": []}}));
        assert!(take_mark(&mut meta));
        assert_eq!(meta, object(json!({"fastmcp": {"tags": []}})));
        let mut meta = object(json!({"fastmcp": {"wrap_result": true}}));
        assert!(take_mark(&mut meta));
        assert_eq!(meta, Map::new());
        assert!(!take_mark(&mut object(json!({"fastmcp": 1}))));
        assert_eq!(unwrap_value(&json!({"result": 1, "more": 2})), None);
    }
}
