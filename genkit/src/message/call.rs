//! A tool call as a model asks for it, and its answer.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::part::Part;

/// A model wants a tool to be called.
///
/// ```
/// use genkit::ToolRequest;
/// use serde_json::json;
///
/// let request = ToolRequest::new("add", json!({"a": 1, "b": 2})).with_ref("call_7");
/// let answer = request.respond(json!(3));
/// assert_eq!((answer.name.as_str(), answer.r#ref.as_deref()), ("add", Some("call_7")));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolRequest {
    /// The tool.
    pub name: String,
    /// Tells parallel calls apart; the answer carries the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#ref: Option<String>,
    /// The arguments; null where the tool takes none.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub input: Value,
    /// Whether the model is still writing the arguments. Such a request is never run.
    #[serde(default, skip_serializing_if = "is_false")]
    pub partial: bool,
}

/// What a tool answered to a [`ToolRequest`].
///
/// ```
/// use genkit::ToolResponse;
///
/// let answer = ToolResponse::new("add", 3);
/// assert_eq!(serde_json::to_string(&answer).unwrap(), r#"{"name":"add","output":3}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolResponse {
    /// The tool.
    pub name: String,
    /// That of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#ref: Option<String>,
    /// The result; `{"error": ".."}` where the tool failed.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub output: Value,
    /// Content beside the result: images, text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<Part>,
}

impl ToolRequest {
    /// A call of the tool `name` with these arguments.
    pub fn new(name: impl Into<String>, input: impl Into<Value>) -> Self {
        Self { name: name.into(), r#ref: None, input: input.into(), partial: false }
    }

    /// The same call with a reference.
    #[must_use]
    pub fn with_ref(mut self, reference: impl Into<String>) -> Self {
        self.r#ref = Some(reference.into());
        self
    }

    /// The answer to this call.
    pub fn respond(&self, output: impl Into<Value>) -> ToolResponse {
        ToolResponse {
            name: self.name.clone(),
            r#ref: self.r#ref.clone(),
            output: output.into(),
            content: Vec::new(),
        }
    }
}

impl ToolResponse {
    /// The answer of the tool `name`.
    pub fn new(name: impl Into<String>, output: impl Into<Value>) -> Self {
        Self { name: name.into(), r#ref: None, output: output.into(), content: Vec::new() }
    }

    /// The same answer with the reference of its call.
    #[must_use]
    pub fn with_ref(mut self, reference: impl Into<String>) -> Self {
        self.r#ref = Some(reference.into());
        self
    }

    /// What went wrong, where the tool failed: the text under `error`.
    ///
    /// ```
    /// let answer = genkit::ToolResponse::new("add", serde_json::json!({"error": "no such number"}));
    /// assert_eq!(answer.error(), Some("no such number"));
    /// ```
    pub fn error(&self) -> Option<&str> {
        let object = self.output.as_object().filter(|object| object.len() == 1)?;
        object.get("error")?.as_str()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(yes: &bool) -> bool {
    !yes
}
