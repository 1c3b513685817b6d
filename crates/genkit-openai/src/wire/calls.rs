//! Tool calls as a model wrote them.

use serde::Serializer;
use serde_json::{Map, Value};

use super::schema::strict;
use genkit_core::ModelRequest;
use genkit_core::ToolRequest;
use genkit_core::internal::names::Names;
use genkit_schema::internal::drop_optional_nulls;

/// A tool call with complete arguments.
pub(crate) struct RawToolCall {
    pub(crate) id: Option<String>,
    /// The name that was sent.
    pub(crate) name: String,
    /// JSON text, which may be incomplete.
    pub(crate) arguments: String,
}

impl RawToolCall {
    /// Returns the call under our name of the tool, with the arguments parsed as JSON if possible.
    pub(crate) fn read(
        self,
        request: &ModelRequest,
        names: &Names<'_>,
        strict_tools: bool,
    ) -> ToolRequest {
        let name = names.ours(&self.name);
        let tool = request.tools.iter().find(|tool| tool.name == name);
        let mut input = arguments(self.arguments);
        if let Some(schema) = tool.and_then(|tool| tool.shared_input()) {
            // In strict mode, the model writes null for an omitted property.
            let is_strict = strict(schema, name, strict_tools).is_some();
            drop_optional_nulls(&mut input, schema, is_strict);
        }
        let mut call = ToolRequest::new(name, input);
        call.id = self.id.filter(|id| !id.is_empty());
        call
    }
}

/// Parses arguments. Incomplete arguments stay text, so that the call fails instead of the
/// response.
fn arguments(text: String) -> Value {
    if text.trim().is_empty() {
        return Value::Object(Map::new());
    }
    match serde_json::from_str(&text) {
        Ok(Value::Null) => Value::Object(Map::new()),
        // Some servers encode the arguments twice.
        Ok(Value::String(inner)) => match serde_json::from_str(&inner) {
            Ok(object @ Value::Object(_)) => object,
            _ => Value::String(inner),
        },
        Ok(value) => value,
        Err(_) => Value::String(text),
    }
}

/// Serializes arguments as JSON text.
pub(crate) fn arguments_text<S: Serializer>(
    input: &&Value,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match input {
        input @ Value::Object(_) => serializer.collect_str(input),
        // Templates of local servers require an object, even if the model's own arguments were
        // incomplete.
        _ => serializer.serialize_str("{}"),
    }
}
