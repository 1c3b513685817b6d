//! Calls of tools as a model wrote them.

use serde::Serializer;
use serde_json::{Map, Value};

use super::schema::strict;
use genkit_core::ModelRequest;
use genkit_core::ToolRequest;
use genkit_core::internal::names::Names;
use genkit_schema::internal::drop_optional_nulls;

/// A call whose arguments are whole.
pub(crate) struct RawToolCall {
    pub(crate) id: Option<String>,
    /// As it was sent.
    pub(crate) name: String,
    /// JSON text, which may have been cut.
    pub(crate) arguments: String,
}

impl RawToolCall {
    /// The call under the name that the tool has here, with arguments that are JSON where they can be.
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
            // Then the model wrote a null where it would leave a property out.
            let is_strict = strict(schema, name, strict_tools).is_some();
            drop_optional_nulls(&mut input, schema, is_strict);
        }
        let mut call = ToolRequest::new(name, input);
        call.id = self.id.filter(|id| !id.is_empty());
        call
    }
}

/// Arguments that were cut stay text: the call fails by itself, and the answer does not.
fn arguments(text: String) -> Value {
    if text.trim().is_empty() {
        return Value::Object(Map::new());
    }
    match serde_json::from_str(&text) {
        Ok(Value::Null) => Value::Object(Map::new()),
        // Some servers encode twice.
        Ok(Value::String(inner)) => match serde_json::from_str(&inner) {
            Ok(object @ Value::Object(_)) => object,
            _ => Value::String(inner),
        },
        Ok(value) => value,
        Err(_) => Value::String(text),
    }
}

/// Arguments as they are sent: JSON text.
pub(crate) fn arguments_text<S: Serializer>(
    input: &&Value,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match input {
        input @ Value::Object(_) => serializer.collect_str(input),
        // Templates of local servers want an object, also where the model's own arguments were cut.
        _ => serializer.serialize_str("{}"),
    }
}
