//! Tool requests: a tool call as a model asks for it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A tool request: a model wants a tool to be called.
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
    /// Name of the tool.
    pub name: String,
    /// Reference (`ref`), which tells parallel calls apart; the answer carries the same.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The arguments; null where the tool takes none.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub input: Value,
    /// Whether the model is still writing the arguments. Such a request is never run.
    #[serde(default, skip_serializing_if = "is_false")]
    pub partial: bool,
}

impl ToolRequest {
    /// Tool request: a call of the tool `name` with these arguments.
    pub fn new(name: impl Into<String>, input: impl Into<Value>) -> Self {
        Self { name: name.into(), id: None, input: input.into(), partial: false }
    }

    /// Sets the reference.
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
