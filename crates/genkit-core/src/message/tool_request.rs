//! Tool requests: tool calls requested by a model.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A tool request: a tool call requested by a model.
///
/// ```
/// use genkit::message::ToolRequest;
/// use serde_json::json;
///
/// let request = ToolRequest::new("add", json!({"a": 1, "b": 2})).with_id("call_7");
/// let answer = request.respond(json!(3));
/// assert_eq!((answer.name.as_str(), answer.id.as_deref()), ("add", Some("call_7")));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolRequest {
    /// The name of the tool.
    pub name: String,
    /// The reference (`ref`), which distinguishes parallel calls. The response has the same reference.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The arguments, or null if the tool takes none.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub input: Value,
    /// Whether the model is still writing the arguments. A partial request is never executed.
    #[serde(default, skip_serializing_if = "is_false")]
    pub partial: bool,
}

impl ToolRequest {
    /// Creates a tool request for the tool `name` with these arguments.
    pub fn new(name: impl Into<String>, input: impl Into<Value>) -> Self {
        Self { name: name.into(), id: None, input: input.into(), partial: false }
    }

    /// Sets the reference of the request.
    #[must_use]
    pub fn with_id(mut self, reference: impl Into<String>) -> Self {
        self.id = Some(reference.into());
        self
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(yes: &bool) -> bool {
    !yes
}
