//! The custom state of a session: its type, and its changes as JSON Patch (RFC 6902).

use schemars::JsonSchema;
use serde_json::{Value, json};

use genkit_schema::internal::{Bounds, Shape, input_schema};

use crate::error::Error as E;

/// The type of a custom state, as a schema.
pub(crate) struct StateType {
    pub(crate) schema: Value,
    /// `None` if the schema allows every value.
    bounds: Option<Bounds>,
}

impl StateType {
    pub(crate) fn of<T: JsonSchema>() -> Result<Self, String> {
        let schema = input_schema::<T>();
        // The state is not parsed as a `T` before this check, so the whole schema must be checked.
        let bounds = Bounds::compile(&schema, Shape::Written).map_err(|why| why.to_string())?;
        Ok(Self { schema, bounds })
    }

    /// Checks a state of the agent with this name.
    pub(crate) fn check(&self, agent: &str, custom: &Value) -> Result<(), E> {
        let Some(bounds) = &self.bounds else { return Ok(()) };
        let agent = || agent.to_owned();
        bounds.check(custom).map_err(|why| E::StateMismatch { agent: agent(), why })
    }
}

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
