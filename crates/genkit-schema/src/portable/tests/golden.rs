//! Comparison of the portable schemas of the type zoo with golden files. `UPDATE=1 cargo test golden` rewrites the
//! files.

use std::{collections::BTreeSet, fs, path::PathBuf};

use serde_json::{Map, Value, json};

use super::{portable, zoo};
use crate::conversion::Loss;

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/schemas"))
}

fn list(degraded: &[Loss]) -> Value {
    let each =
        |one: &Loss| json!({ "pointer": one.pointer, "what": one.what, "remedy": one.remedy });
    degraded.iter().map(each).collect()
}

/// Returns the expected content of the golden file of a type.
fn golden(exact: &Value, exact_output: &Value) -> Value {
    let (input, output) = (portable(exact), portable(exact_output));
    let mut file = Map::new();
    file.insert("exact".to_owned(), exact.clone());
    file.insert("portable".to_owned(), input.schema);
    file.insert("degraded".to_owned(), list(&input.degraded));
    if exact != exact_output {
        file.insert("exact_output".to_owned(), exact_output.clone());
        file.insert("portable_output".to_owned(), output.schema);
        if input.degraded != output.degraded {
            file.insert("degraded_output".to_owned(), list(&output.degraded));
        }
    }
    Value::Object(file)
}

#[test]
fn golden_files() {
    let update = std::env::var_os("UPDATE").is_some();
    let mut expected_files = BTreeSet::new();
    let mut differing = Vec::new();
    for (name, exact, exact_output) in zoo::zoo() {
        let made = golden(&exact, &exact_output);
        let path = folder().join(format!("{name}.json"));
        assert!(expected_files.insert(path.clone()), "two types are called {name}");
        if update {
            let text = serde_json::to_string_pretty(&made).expect("a golden file serializes");
            fs::write(&path, text + "\n").expect("a golden file is written");
        } else {
            let text = fs::read_to_string(&path).unwrap_or_default();
            if serde_json::from_str::<Value>(&text).ok().as_ref() != Some(&made) {
                differing.push(name);
            }
        }
    }
    assert!(
        differing.is_empty(),
        "differs from the golden files: {differing:?}; run with UPDATE=1 and read git diff"
    );
    let files: BTreeSet<_> = fs::read_dir(folder())
        .expect("the folder of golden files")
        .map(|entry| entry.expect("an entry of the folder").path())
        .collect();
    assert_eq!(files, expected_files, "the golden files do not match the types");
}

#[test]
fn roots_of_objects_have_properties() {
    for (name, exact, _) in zoo::zoo() {
        let schema = portable(&exact).schema;
        if schema["type"] == "object" {
            assert!(schema["properties"].is_object(), "{name}: {schema:#}");
        }
        assert_eq!(schema.get("$schema"), None, "{name}");
        assert_eq!(schema.get("title"), None, "{name}");
    }
}
