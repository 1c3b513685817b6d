//! Schemas for the tests of this crate and of the providers.

#![allow(missing_docs, clippy::unwrap_used, reason = "for tests alone")]

use std::{fs, path::PathBuf};

use serde_json::{Map, Value, json};

#[cfg(test)]
pub(crate) use random::random;

/// Returns all exact schemas of the type zoo, including those of results.
pub fn zoo_schemas() -> Vec<(String, Value)> {
    let folder =
        PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/schemas"));
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

pub fn with_property(schema: Value) -> Value {
    json!({ "type": "object", "properties": { "a": schema }, "required": ["a"] })
}

/// Returns an object with many properties.
pub fn wide_schema(count: usize) -> Value {
    let name = |n| (format!("p{n}"), json!({ "type": "string" }));
    let all: Map<_, _> = (0..count).map(name).collect();
    json!({ "type": "object", "properties": all })
}

/// Returns nested arrays.
pub fn deep_schema(depth: usize) -> Value {
    let inner = json!({ "type": "string" });
    (0..depth).fold(inner, |inner, _| json!({ "type": "array", "items": inner }))
}

#[cfg(test)]
mod random {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    /// A keyword with its value.
    type Word = (&'static str, Value);

    /// Generates schemas like those from schemars, with random keywords that may not belong together.
    pub fn random() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            8 => prop::collection::vec(word(), 0..4).prop_map(object),
            1 => any::<bool>().prop_map(Value::from),
        ];
        let shared = prop_oneof![
            Just(json!({"type": "string", "enum": ["x", "y"]})),
            Just(
                json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})
            ),
        ];
        (leaf.prop_recursive(4, 32, 4, holding), shared).prop_map(|(mut schema, shared)| {
            let refers = schema.to_string().contains("#/$defs/shared");
            if let Value::Object(map) = &mut schema {
                map.insert(
                    "$schema".to_owned(),
                    json!("https://json-schema.org/draft/2020-12/schema"),
                );
                if refers {
                    map.insert("$defs".to_owned(), json!({ "shared": shared }));
                }
            }
            schema
        })
    }

    fn object(words: Vec<Word>) -> Value {
        Value::Object(words.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// Generates a keyword that contains no schema.
    fn word() -> BoxedStrategy<Word> {
        let types = vec!["null", "boolean", "integer", "number", "string", "array", "object"];
        let one = prop::sample::select(types);
        let formats = vec!["uint32", "uint8", "int16", "date-time", "uuid", "uri"];
        prop_oneof![
            6 => one.clone().prop_map(|name| ("type", json!(name))),
            2 => one.prop_map(|name| ("type", json!([name, "null"]))),
            1 => Just(("type", json!(["null", "string", "integer"]))),
            2 => prop::sample::select(formats).prop_map(|name| ("format", json!(name))),
            2 => prop_oneof![Just(0), Just(255), Just(-32768), Just(7)].prop_map(|n| ("minimum", json!(n))),
            1 => prop_oneof![Just(255), Just(65_535)].prop_map(|n| ("maximum", json!(n))),
            1 => Just(("minLength", json!(1))),
            1 => Just(("pattern", json!("^a"))),
            1 => Just(("maxItems", json!(3))),
            2 => Just(("title", json!("A title"))),
            2 => Just(("description", json!("What it is."))),
            1 => prop_oneof![Just(Value::Null), Just(json!("a"))].prop_map(|it| ("default", it)),
            1 => Just(("examples", json!(["a", 1]))),
            1 => Just(("deprecated", json!(true))),
            1 => Just(("x-note", json!({"$ref": "nowhere"}))),
            1 => Just(("enum", json!(["a", "b"]))),
            1 => Just(("const", json!(1))),
            1 => Just(("$ref", json!("#/$defs/shared"))),
            1 => Just(("unheard", json!(1))),
        ]
        .boxed()
    }

    /// Generates a schema that may contain other schemas.
    fn holding(inner: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
        let names = vec!["a", "b", "c"];
        let some = prop::sample::subsequence(names.clone(), 0..3);
        let members = prop::collection::vec((prop::sample::select(names), inner.clone()), 0..4);
        let branches = prop::collection::vec(inner.clone(), 1..3);
        let word = prop_oneof![
            6 => word(),
            4 => members.prop_map(|all| ("properties", object(all))),
            2 => some.prop_map(|names| ("required", json!(names))),
            2 => inner.clone().prop_map(|rest| ("additionalProperties", rest)),
            2 => inner.prop_map(|items| ("items", items)),
            1 => branches.clone().prop_map(|all| ("anyOf", json!(all))),
            1 => branches.prop_map(|all| ("allOf", json!(all))),
        ];
        prop::collection::vec(word, 1..5).prop_map(object).boxed()
    }
}
