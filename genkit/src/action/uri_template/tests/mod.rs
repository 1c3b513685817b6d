//! URI templates against tables, and against themselves.

use serde_json::{Map, Value, json};

use super::{UriTemplate, UriTemplateError};

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

fn map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("{other} is not a map"),
    }
}

/// The values that make a URI; null if it does not match.
fn values(text: &str, uri: &str) -> Value {
    template(text).matches(uri).map_or(json!(null), Value::Object)
}
