//! Tests of rules that the type zoo does not cover.

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

/// Returns the portable schema, which must have no losses.
#[track_caller]
fn whole(exact: Value) -> Value {
    let Portable { schema, degraded } = portable(&exact);
    assert_eq!(degraded, [], "{schema:#}");
    schema
}

/// Returns the portable schema, and the pointers of the losses.
fn lossy(exact: Value) -> (Value, Vec<String>) {
    let Portable { schema, degraded } = portable(&exact);
    (schema, degraded.into_iter().map(|one| one.pointer).collect())
}

/// Returns the schema of a struct with one optional field.
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
