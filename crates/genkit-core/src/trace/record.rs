//! What an exporter gets of a span: plain data, whose values are bounded.

use serde_json::{Map, Value};

use super::{SpanId, TraceId};
use genkit_schema::internal::truncate::truncate;

/// The longest value of an attribute, in bytes. Default is 1 MiB.
pub const MAX_VALUE: usize = 1024 * 1024;

/// The attribute with the action context.
pub const CONTEXT: &str = "genkit:metadata:context";

/// What stands where a value is left out.
const REDACTED: &str = "<redacted>";

/// A span that began or ended.
#[derive(Clone, Debug)]
pub struct SpanRecord {
    pub trace_id: TraceId,
    pub span_id: SpanId,
    pub parent: Option<SpanId>,
    pub name: String,
    /// Milliseconds since the epoch.
    pub start: f64,
    /// Milliseconds since the epoch; zero while it runs.
    pub end: f64,
    pub attributes: Map<String, Value>,
    pub failure: Option<Failure>,
}

/// Why a span failed.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The kind of the error.
    pub kind: String,
    pub message: String,
    /// The message with its causes.
    pub chain: String,
}

/// A value as an attribute: JSON text, cut where it is too long. What was cut is JSON text still: a
/// string with the beginning and a mark.
pub fn json_text(value: &Value) -> Value {
    let text = value.to_string();
    Value::String(if text.len() > MAX_VALUE { cut(&text) } else { text })
}

/// An attribute that is no JSON text, cut where it is too long.
pub fn bounded(value: Value) -> Value {
    match value {
        Value::String(text) if text.len() > MAX_VALUE => Value::String(cut(&text)),
        value @ (Value::Object(_) | Value::Array(_)) => json_text(&value),
        value => value,
    }
}

/// The text of an error, cut where it is too long.
pub fn bounded_text(mut text: String) -> String {
    const MAX: usize = MAX_VALUE / 16;
    if text.len() > MAX {
        let shown = truncate(&text, MAX).len();
        text.truncate(shown);
        text.push_str(" [cut]");
    }
    text
}

fn cut(text: &str) -> String {
    // A character may be six in JSON.
    let shown = truncate(text, MAX_VALUE / 6);
    let marked = format!("{shown} [cut: the first {} of {} bytes]", shown.len(), text.len());
    Value::String(marked).to_string()
}

/// An action context as it is recorded: that there is an `auth` and that there are `secrets`, and
/// nothing of what they say.
pub fn shown_context(context: &Map<String, Value>) -> Value {
    let hidden = |key: &str| matches!(key, "auth" | "secrets");
    let shown: Map<String, Value> = context
        .iter()
        .map(|(key, value)| {
            let value = if hidden(key) { Value::from(REDACTED) } else { value.clone() };
            (key.clone(), value)
        })
        .collect();
    json_text(&Value::Object(shown))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_long_value_is_cut_and_stays_json() {
        let long = json!({"text": "ä\n\"".repeat(MAX_VALUE)});
        let Value::String(text) = json_text(&long) else { panic!() };
        assert!(text.len() <= MAX_VALUE, "{}", text.len());
        let read: String = serde_json::from_str(&text).unwrap();
        assert!(read.starts_with("{\"text\":\"ä") && read.ends_with(" bytes]"), "{read:.40}");
        assert_eq!(json_text(&json!({"a": 1})), "{\"a\":1}");
    }

    #[test]
    fn a_context_shows_neither_auth_nor_secrets() {
        let context = json!({"auth": {"uid": "ada"}, "secrets": {"key": "s3"}, "team": "red"});
        let shown = shown_context(context.as_object().unwrap());
        let shown: Value = serde_json::from_str(shown.as_str().unwrap()).unwrap();
        let expected = json!({"auth": "<redacted>", "secrets": "<redacted>", "team": "red"});
        assert_eq!(shown, expected);
    }
}
