//! The exported data of a span, with limited sizes.

use serde_json::{Map, Value};

use super::{SpanId, TraceId};
use genkit_schema::internal::truncate::truncate;
use genkit_untrusted::redact::redact_context;

/// The maximum size of an attribute value, in bytes. Default is 1 MiB.
pub const MAX_VALUE: usize = 1024 * 1024;

/// The attribute that contains the action context.
pub const CONTEXT: &str = "genkit:metadata:context";

/// A span that has started or ended.
#[derive(Clone, Debug)]
pub struct SpanRecord {
    pub trace_id: TraceId,
    pub span_id: SpanId,
    pub parent: Option<SpanId>,
    pub name: String,
    /// The start time, in milliseconds since the Unix epoch.
    pub start: f64,
    /// The end time, in milliseconds since the Unix epoch. The time is zero while the span is open.
    pub end: f64,
    pub attributes: Map<String, Value>,
    pub failure: Option<Failure>,
}

/// The error of a span.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The kind of the error.
    pub kind: String,
    pub message: String,
    /// The message with its causes.
    pub chain: String,
}

/// Converts a value to an attribute with JSON text, truncated if it is too long. Truncated text is still JSON: a string
/// with the first part of the text and a note.
pub fn json_text(value: &Value) -> Value {
    let text = value.to_string();
    Value::String(if text.len() > MAX_VALUE { cut_text(&text) } else { text })
}

/// Truncates an attribute value that is too long. Objects and arrays become JSON text.
pub fn bound_value(value: Value) -> Value {
    match value {
        Value::String(text) if text.len() > MAX_VALUE => Value::String(cut_text(&text)),
        value @ (Value::Object(_) | Value::Array(_)) => json_text(&value),
        value => value,
    }
}

/// Truncates the text of an error if it is too long.
pub fn bounded_text(mut text: String) -> String {
    const MAX: usize = MAX_VALUE / 16;
    if text.len() > MAX {
        let shown = truncate(&text, MAX).len();
        text.truncate(shown);
        text.push_str(" [cut]");
    }
    text
}

fn cut_text(text: &str) -> String {
    // A character can take up to six bytes in JSON.
    let shown = truncate(text, MAX_VALUE / 6);
    let marked = format!("{shown} [cut: the first {} of {} bytes]", shown.len(), text.len());
    Value::String(marked).to_string()
}

/// Returns the action context for recording, with the values of `auth` and `secrets` redacted.
pub fn recorded_context(context: &Map<String, Value>) -> Value {
    json_text(&Value::Object(redact_context(context)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn long_value_is_cut_and_stays_json() {
        let long = json!({"text": "ä\n\"".repeat(MAX_VALUE)});
        let Value::String(text) = json_text(&long) else { panic!() };
        assert!(text.len() <= MAX_VALUE, "{}", text.len());
        let read: String = serde_json::from_str(&text).unwrap();
        assert!(read.starts_with("{\"text\":\"ä") && read.ends_with(" bytes]"), "{read:.40}");
        assert_eq!(json_text(&json!({"a": 1})), "{\"a\":1}");
    }

    #[test]
    fn context_shows_neither_auth_nor_secrets() {
        let context = json!({"auth": {"uid": "ada"}, "secrets": {"key": "s3"}, "team": "red"});
        let shown = recorded_context(context.as_object().unwrap());
        let shown: Value = serde_json::from_str(shown.as_str().unwrap()).unwrap();
        let expected = json!({"auth": "<redacted>", "secrets": "<redacted>", "team": "red"});
        assert_eq!(shown, expected);
    }
}
