//! Forms for users: the flat schemas that MCP's elicitation allows.

mod field;

use serde_json::{Map, Value, json};

use self::field::{FieldError, form_field};
use super::error::Error as E;
use super::portable::portable;
use crate::error::Result;

/// Returns the form for a schema: only plain fields, with the keywords that MCP supports for them.
///
/// # Errors
/// Returns an internal error that names the field that a form cannot show, or its keyword.
pub fn form(schema: &Value) -> Result<Value> {
    let title = || schema.get("title").and_then(Value::as_str).map(str::to_owned);
    let Some(fields) = schema.get("properties").and_then(Value::as_object) else {
        return Err(E::FormWithoutFields { title: title() });
    };
    let derived = schema.get("$schema").is_some();
    // A hand-written schema is used unchanged. In the schema of a type, references are inlined.
    let inlined = derived.then(|| portable(schema).schema);
    let fields = match &inlined {
        Some(portable) => portable.get("properties").and_then(Value::as_object).unwrap_or(fields),
        None => fields,
    };
    let mut shown = Map::new();
    for (name, given) in fields {
        let is_shown = form_field(given).map_err(|fault| match fault {
            FieldError::Kind => {
                let what = describe_field(schema, name, given);
                E::FormField { title: title(), field: name.clone(), shown: what }
            }
            FieldError::Keyword(keyword, takes) => {
                let given = given[keyword].to_string();
                E::FormKeyword { title: title(), field: name.clone(), keyword, given, takes }
            }
        })?;
        shown.insert(name.clone(), is_shown);
    }
    let mut form = Map::new();
    form.insert("type".to_owned(), json!("object"));
    form.insert("properties".to_owned(), Value::Object(shown));
    if let Some(required) = schema.get("required") {
        if !required.as_array().is_some_and(|names| names.iter().all(Value::is_string)) {
            return Err(E::FormRequired { title: title() });
        }
        form.insert("required".to_owned(), required.clone());
    }
    Ok(Value::Object(form))
}

/// Describes a field, with the name of its type if the schema was derived from one: `an object (`Address`)`.
fn describe_field(schema: &Value, name: &str, field: &Value) -> String {
    let what = match field.get("type").and_then(Value::as_str) {
        Some("object") => "an object",
        Some("array") => "a list of values that are not enumerated",
        _ => "not a plain value",
    };
    match type_name(&schema["properties"][name]) {
        Some(name) => format!("{what} (`{name}`)"),
        None => what.to_owned(),
    }
}

/// Returns the name of the definition that a field, or each of its items, refers to.
fn type_name(field: &Value) -> Option<&str> {
    let direct = field.get("$ref").or_else(|| field.get("items")?.get("$ref"));
    let optional = || field.get("anyOf")?.as_array()?.iter().find_map(|one| one.get("$ref"));
    direct.or_else(optional)?.as_str()?.rsplit('/').next()
}
