//! Tests of URI templates with tables and with properties.

use serde_json::{Value, json};

use genkit_uri_template::{UriTemplate, UriTemplateError, UriValue};

mod expanding;
mod matching;
mod parsing;
mod properties;

#[track_caller]
fn template(text: &str) -> UriTemplate {
    UriTemplate::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[track_caller]
fn refused(text: &str) -> UriTemplateError {
    match UriTemplate::parse(text) {
        Ok(_) => panic!("{text} is accepted"),
        Err(error) => error,
    }
}

/// Converts a table to values. `null` is a missing value.
fn map(table: Value) -> Vec<(String, UriValue)> {
    let Value::Object(table) = table else { panic!("{table} is not a map") };
    let text = |value: Value| match value {
        Value::String(text) => text,
        other => panic!("{other} is not text"),
    };
    let value = |value| match value {
        Value::Null => None,
        Value::Array(items) => Some(items.into_iter().map(text).collect::<Vec<_>>().into()),
        scalar => Some(text(scalar).into()),
    };
    table.into_iter().filter_map(|(name, json)| Some((name, value(json)?))).collect()
}

/// Returns the values that a template reads from a URI, or `null` if it does not match.
fn values(text: &str, uri: &str) -> Value {
    let template = template(text);
    let Some(values) = template.match_uri(uri) else { return json!(null) };
    let values = values.into_iter().map(|(name, value)| match value {
        UriValue::Text(text) => (name.to_owned(), json!(text)),
        UriValue::List(texts) => (name.to_owned(), json!(texts)),
    });
    Value::Object(values.collect())
}
