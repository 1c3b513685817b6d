//! Structured output, constrained by a schema if the server supports it.

use std::borrow::Cow;

use serde_json::Value;

use crate::wire::schema::strict_schema;
use crate::wire::servers::Deviations;
use genkit_core::OutputConfig;
use genkit_schema::Schema;
use genkit_schema::internal::RepairedDialect;

/// The format of a response.
pub(crate) enum OutputFormat<'a> {
    JsonObject,
    JsonSchema { name: Cow<'a, str>, schema: Cow<'a, Value>, strict: bool },
}

impl<'a> OutputFormat<'a> {
    /// Returns the format for `output` that the server supports.
    pub(crate) fn for_output(
        output: &'a OutputConfig,
        deviations: &Deviations,
        has_tools: bool,
    ) -> Option<Self> {
        let free = output.constrained == Some(false);
        let schema = output.schema.as_ref().filter(|_| !free && deviations.json_schema);
        if has_tools && !deviations.json_with_tools {
            return None;
        }
        if let Some(schema) = schema
            && (is_object(schema) || !deviations.object_root)
        {
            return Some(Self::json_schema(schema, deviations));
        }
        // The mode without a schema supports only objects.
        let lists = output.format.as_deref() == Some("array");
        if !output.is_json() || lists || output.schema.as_deref().is_some_and(|it| !is_object(it)) {
            return None;
        }
        if deviations.json_object {
            return Some(Self::JsonObject);
        }
        let schema = Cow::Owned(serde_json::json!({ "type": "object" }));
        Some(Self::JsonSchema { name: Cow::Borrowed("output"), schema, strict: false })
    }

    fn json_schema(schema: &'a Schema, deviations: &Deviations) -> Self {
        let name = format_name(schema.get("title").and_then(Value::as_str).unwrap_or_default());
        let strict = strict_schema(schema, &name, deviations.strict_output);
        let body = strict.or_else(|| schema.dialect::<RepairedDialect>(&name));
        let body = Cow::Borrowed(body.unwrap_or(schema));
        Self::JsonSchema { name, schema: body, strict: strict.is_some() }
    }
}

/// Returns whether a schema describes only objects.
fn is_object(schema: &Value) -> bool {
    let mut schema_at = schema;
    for _ in 0..8 {
        if schema_at.get("type").and_then(Value::as_str) == Some("object") {
            return true;
        }
        let reference = schema_at.get("$ref").and_then(Value::as_str);
        match reference.and_then(|it| schema.pointer(it.strip_prefix('#')?)) {
            Some(target) => schema_at = target,
            None => return false,
        }
    }
    false
}

/// Converts a title to the name of a schema, which must match `[A-Za-z0-9_-]{1,64}`.
fn format_name(title: &str) -> Cow<'_, str> {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if title.is_empty() {
        Cow::Borrowed("output")
    } else if title.len() <= 64 && title.chars().all(is_fine) {
        Cow::Borrowed(title)
    } else {
        Cow::Owned(title.chars().take(64).map(|c| if is_fine(c) { c } else { '_' }).collect())
    }
}
