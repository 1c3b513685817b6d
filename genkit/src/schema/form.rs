//! Forms for users: the flat schemas that MCP's elicitation allows.

use serde_json::{Map, Value, json};

use super::error::Error as E;
use super::portable::portable;
use crate::error::Result;

/// The form for a schema: plain fields only.
///
/// # Errors
/// An internal error naming the field that a form cannot show.
pub(crate) fn form(schema: &Value) -> Result<Value> {
    let Some(fields) = schema.get("properties").and_then(Value::as_object) else {
        return Err(E::FormWithoutFields.into());
    };
    let derived = schema.get("$schema").is_some();
    // A schema written by hand is shown as it is; one from a type has its references inlined.
    let inlined = derived.then(|| portable(schema).schema);
    let fields = match &inlined {
        Some(portable) => portable.get("properties").and_then(Value::as_object).unwrap_or(fields),
        None => fields,
    };
    for (name, field) in fields {
        if !is_plain(field) {
            return Err(E::FormField(name.clone()).into());
        }
    }
    let mut form = Map::new();
    form.insert("type".to_owned(), json!("object"));
    form.insert("properties".to_owned(), Value::Object(fields.clone()));
    if let Some(required) = schema.get("required") {
        form.insert("required".to_owned(), required.clone());
    }
    Ok(Value::Object(form))
}

fn is_plain(field: &Value) -> bool {
    match field.get("type").and_then(Value::as_str) {
        Some("string" | "number" | "integer" | "boolean") => true,
        Some("array") => field
            .get("items")
            .is_some_and(|items| items.get("enum").is_some() || items.get("anyOf").is_some()),
        _ => field.get("enum").is_some() || field.get("oneOf").is_some(),
    }
}
