//! The keys of a frontmatter.

use serde_json::{Map, Value};

use crate::error::Error;
use crate::error_kind::ErrorKind;

/// The keys that are copied to the metadata unchanged. Other keys appear in `raw`, and in `ext` if they contain a dot.
pub(crate) const RESERVED: [&str; 12] = [
    "config",
    "description",
    "ext",
    "input",
    "model",
    "name",
    "output",
    "raw",
    "toolDefs",
    "tools",
    "variant",
    "version",
];

/// The error of a key, and the path of the key in the frontmatter.
pub(crate) type KeyError = (Error, Vec<String>);

/// Rejects values that would otherwise be silently dropped or misread.
pub(crate) fn check_keys(raw: &Map<String, Value>) -> Result<(), KeyError> {
    for (key, value) in raw.iter().filter(|(key, _)| RESERVED.contains(&key.as_str())) {
        check_key(key, value).map_err(|fault| (Error::new(fault), vec![key.clone()]))?;
    }
    Ok(())
}

/// Returns the metadata for the keys of the specification.
pub(crate) fn metadata_from_keys(raw: &Map<String, Value>) -> Map<String, Value> {
    let mut metadata = empty_metadata();
    let mut ext = Map::new();
    for (key, value) in raw {
        if RESERVED.contains(&key.as_str()) {
            metadata.insert(key.clone(), value.clone());
        } else if let Some((namespace, field)) = key.rsplit_once('.') {
            // Namespaces are flat: `a.b.c` is the field `c` of `a.b`.
            let fields = ext.entry(namespace).or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(fields) = fields {
                fields.insert(field.to_owned(), value.clone());
            }
        }
    }
    // A literal `ext` is overwritten, as in the reference implementation.
    metadata.insert("ext".to_owned(), Value::Object(ext));
    metadata
}

/// Returns the metadata that every prompt has.
pub(crate) fn empty_metadata() -> Map<String, Value> {
    ["ext", "metadata", "config"]
        .map(|key| (key.to_owned(), Value::Object(Map::new())))
        .into_iter()
        .collect()
}

fn check_key(key: &str, value: &Value) -> Result<(), ErrorKind> {
    let fits = match key {
        "config" | "input" | "output" => value.is_object() || value.is_null(),
        "model" | "description" => value.is_string() || value.is_null(),
        "tools" => match value {
            Value::Null => true,
            Value::Array(tools) => tools.iter().all(Value::is_string),
            _ => false,
        },
        "toolDefs" => value.is_array() || value.is_null(),
        _ => true,
    };
    let expected = match key {
        "tools" => "a list of names, such as `[lookup]`",
        "toolDefs" => "a list",
        "model" | "description" => "text",
        _ => "a map",
    };
    if fits {
        if let ("input", Some(default)) = (key, value.get("default"))
            && !default.is_object()
            && !default.is_null()
        {
            return Err(ErrorKind::Key { key: "input.default".to_owned(), expected: "a map" });
        }
        return Ok(());
    }
    Err(ErrorKind::Key { key: key.to_owned(), expected })
}
