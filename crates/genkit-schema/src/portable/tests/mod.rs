//! Rules that the zoo of types does not reach.

use serde_json::{Value, json};

use super::{Portable, portable};

mod choices;
mod golden;
mod plain;
mod references;
mod shapes;
#[cfg(feature = "validation")]
mod validator;
#[path = "../../../../../tests/schema/zoo.rs"]
mod zoo;

/// The portable schema where nothing is lost.
#[track_caller]
fn whole(exact: Value) -> Value {
    let Portable { schema, degraded } = portable(&exact);
    assert_eq!(degraded, [], "{schema:#}");
    schema
}

/// The portable schema, and the pointers of what is lost.
fn lossy(exact: Value) -> (Value, Vec<String>) {
    let Portable { schema, degraded } = portable(&exact);
    (schema, degraded.into_iter().map(|one| one.pointer).collect())
}

/// The schema of a struct with one field that may be left out.
fn optional(field: Value) -> Value {
    json!({ "type": "object", "properties": { "a": field } })
}

fn count(schema: &Value) -> usize {
    match schema {
        Value::Object(map) => 1 + map.values().map(count).sum::<usize>(),
        Value::Array(items) => items.iter().map(count).sum(),
        _ => 0,
    }
}
