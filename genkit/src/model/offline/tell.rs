//! Answers in the form that a request asks for.

use serde_json::{Value, json};

use super::fill::{Facts, Filler};
use super::run::Run;
use super::says;
use crate::model::OutputConfig;

/// How many results go into a form.
const MAX_RESULTS: usize = 64;

/// The form of a schema, filled, as text; `None` where none is asked for.
pub(super) fn form(run: &Run, output: &OutputConfig) -> Option<String> {
    let schema: &Value = output.schema.as_deref()?;
    let format = output.format.as_deref();
    if format == Some("text") {
        return None;
    }
    let values = run.results.iter().filter(|result| result.error().is_none());
    let facts = Facts {
        values: values.map(|result| &result.output).take(MAX_RESULTS).collect(),
        text: if run.results.is_empty() { String::new() } else { says::results(&run.results) },
    };
    let text = run.text();
    let mut filler = Filler::new(&text, schema, &[], &facts, true);
    // A form is always filled; null if its schema is none.
    let value = filler.fill().unwrap_or(Value::Null);
    Some(match (format, &value) {
        (Some("enum"), Value::String(word)) => word.clone(),
        (Some("jsonl"), Value::Array(items)) => {
            items.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
        }
        _ => value.to_string(),
    })
}

/// Sentences, as JSON where JSON without a schema is asked for.
pub(super) fn plain(said: String, output: &OutputConfig) -> String {
    match output.format.as_deref() {
        Some("array") => json!([said]).to_string(),
        Some("jsonl") => json!({"answer": said}).to_string(),
        _ if output.is_json() => json!({"answer": said}).to_string(),
        _ => said,
    }
}
