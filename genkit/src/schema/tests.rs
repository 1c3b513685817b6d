//! Exact schemas for the tests of dialects.

use std::{fs, path::PathBuf};

use serde_json::{Map, Value, json};

/// Each exact schema of the zoo, those of results as well.
pub(crate) fn zoo() -> Vec<(String, Value)> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/schemas"));
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let golden: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        for key in ["exact", "exact_output"] {
            if let Some(exact) = golden.get(key) {
                all.push((format!("{} {key}", path.file_stem().unwrap().display()), exact.clone()));
            }
        }
    }
    assert!(all.len() >= 51, "{}", all.len());
    all
}

pub(crate) fn property(schema: Value) -> Value {
    json!({ "type": "object", "properties": { "a": schema }, "required": ["a"] })
}

/// An object with many properties.
pub(crate) fn wide(count: usize) -> Value {
    let name = |n| (format!("p{n}"), json!({ "type": "string" }));
    let all: Map<_, _> = (0..count).map(name).collect();
    json!({ "type": "object", "properties": all })
}

/// Arrays inside each other.
pub(crate) fn deep(depth: usize) -> Value {
    let inner = json!({ "type": "string" });
    (0..depth).fold(inner, |inner, _| json!({ "type": "array", "items": inner }))
}
