//! Responses of a model, complete or in chunks.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::message::{Message, Part, Role, ToolRequest};

/// The response of one call to a model.
///
/// ```
/// use genkit::model::{FinishReason, ModelResponse, Usage};
///
/// let response = ModelResponse::from_text("It is sunny.");
/// assert_eq!(response.finish_reason, Some(FinishReason::Stop));
///
/// let cut = ModelResponse::from_text("It is")
///     .with_finish_reason(FinishReason::Length)
///     .with_usage(Usage::default().with_output_tokens(2));
/// assert_eq!(cut.usage.output_tokens, Some(2));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ModelResponse {
    /// The message that the model generated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
    /// The finish reason: why the model stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<FinishReason>,
    /// The finish message: a description of the finish reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_message: Option<String>,
    /// The token usage of the call.
    #[serde(default)]
    pub usage: Usage,
    /// The latency of the call, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<f64>,
    /// Custom data of the provider, such as safety ratings, grounding data and the id of the response.
    #[serde(default)]
    pub custom: Map<String, Value>,
}

impl ModelResponse {
    /// Creates a response with the finish reason [`Stop`](FinishReason::Stop).
    pub fn new(message: Message) -> Self {
        Self { message: Some(message), finish_reason: Some(FinishReason::Stop), ..Self::default() }
    }

    /// Creates a response with text.
    pub fn from_text(text: impl Into<String>) -> Self {
        Self::new(Message::model(text.into()))
    }

    /// Creates a response that calls tools.
    pub fn from_tool_requests(requests: impl IntoIterator<Item = ToolRequest>) -> Self {
        Self::new(Message::new(Role::Model, requests.into_iter().map(Part::from)))
    }

    /// Sets the finish reason: why the model stopped.
    #[must_use]
    pub fn with_finish_reason(mut self, reason: FinishReason) -> Self {
        self.finish_reason = Some(reason);
        self
    }

    /// Sets the finish message: a description of the finish reason.
    #[must_use]
    pub fn with_finish_message(mut self, text: impl Into<String>) -> Self {
        self.finish_message = Some(text.into());
        self
    }

    /// Sets the token usage.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// Adds an entry to the provider's custom data.
    #[must_use]
    pub fn with_custom(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.custom.insert(key.into(), value.into());
        self
    }
}

/// The finish reason: why a model stopped.
///
/// ```
/// use genkit::model::FinishReason;
///
/// assert_eq!(serde_json::to_value(FinishReason::Length).unwrap(), "length");
/// assert_eq!(serde_json::from_value::<FinishReason>("new one".into()).unwrap(), FinishReason::Unknown);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum FinishReason {
    /// The response is complete, or it calls tools.
    Stop,
    /// The token limit was reached.
    Length,
    /// The provider blocked the response.
    Blocked,
    /// The loop reached the turn limit, or the run failed and this is the partial response of its error.
    Aborted,
    /// The run was interrupted by a tool; see `GenerateResponse::interrupts`.
    Interrupted,
    /// Another reason, described in the finish message.
    Other,
    /// The reason is unknown.
    #[default]
    #[serde(other)]
    Unknown,
}

/// The token usage of one or more model calls, as reported by the provider.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Usage {
    /// The number of tokens in the request, including cached tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// The number of tokens in the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// The total number of tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_tokens: Option<u64>,
    /// The number of tokens used for reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thoughts_tokens: Option<u64>,
    /// The number of tokens in the request that were read from the cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_content_tokens: Option<u64>,
    /// Custom counts of the provider.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub custom: Map<String, Value>,
}

impl Usage {
    /// Sets the number of tokens in the request, including cached tokens.
    #[must_use]
    pub fn with_input_tokens(mut self, tokens: u64) -> Self {
        self.input_tokens = Some(tokens);
        self
    }

    /// Sets the number of tokens in the response.
    #[must_use]
    pub fn with_output_tokens(mut self, tokens: u64) -> Self {
        self.output_tokens = Some(tokens);
        self
    }

    /// Sets the total number of tokens.
    #[must_use]
    pub fn with_total_tokens(mut self, tokens: u64) -> Self {
        self.total_tokens = Some(tokens);
        self
    }

    /// Sets the number of tokens used for reasoning.
    #[must_use]
    pub fn with_thoughts_tokens(mut self, tokens: u64) -> Self {
        self.thoughts_tokens = Some(tokens);
        self
    }

    /// Sets the number of tokens in the request that were cached.
    #[must_use]
    pub fn with_cached_content_tokens(mut self, tokens: u64) -> Self {
        self.cached_content_tokens = Some(tokens);
        self
    }

    /// Adds a custom count.
    #[must_use]
    pub fn with_custom(mut self, key: impl Into<String>, count: impl Into<Value>) -> Self {
        self.custom.insert(key.into(), count.into());
        self
    }

    /// Adds the usage of another call.
    ///
    /// ```
    /// use genkit::model::Usage;
    ///
    /// let usage = Usage::default().with_input_tokens(5);
    /// let mut sum = usage.clone();
    /// sum.add(&usage);
    /// assert_eq!((sum.input_tokens, sum.output_tokens), (Some(10), None));
    /// ```
    pub fn add(&mut self, other: &Self) {
        let add = |a: &mut Option<u64>, b: Option<u64>| {
            if let Some(b) = b {
                *a = Some(a.unwrap_or(0).saturating_add(b));
            }
        };
        add(&mut self.input_tokens, other.input_tokens);
        add(&mut self.output_tokens, other.output_tokens);
        add(&mut self.total_tokens, other.total_tokens);
        add(&mut self.thoughts_tokens, other.thoughts_tokens);
        add(&mut self.cached_content_tokens, other.cached_content_tokens);
        for (key, value) in &other.custom {
            let sum = self.custom.get(key).and_then(Value::as_f64).unwrap_or(0.0)
                + value.as_f64().unwrap_or(0.0);
            self.custom.insert(key.clone(), sum.into());
        }
    }
}

/// A chunk of a response that is still being generated.
///
/// The generate loop numbers the messages that it produces: chunks of the model's first message have the index 0, the
/// tool responses 1, the model's next message 2, and so on.
///
/// ```
/// use genkit::model::GenerateChunk;
///
/// assert_eq!(GenerateChunk::from_text("hel").text(), "hel");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GenerateChunk {
    /// The role of the message that the chunk belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// The index of the message that the chunk belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// The content added by this chunk.
    pub content: Vec<Part>,
    /// Custom data of the provider.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub custom: Map<String, Value>,
}

impl GenerateChunk {
    /// Creates a chunk with these parts.
    pub fn new(content: impl IntoIterator<Item = Part>) -> Self {
        Self { content: content.into_iter().collect(), ..Self::default() }
    }

    /// Creates a chunk with text.
    pub fn from_text(text: impl Into<String>) -> Self {
        Self::new([Part::text(text)])
    }

    /// Sets the role of the message that the chunk belongs to.
    #[must_use]
    pub fn with_role(mut self, role: Role) -> Self {
        self.role = Some(role);
        self
    }

    /// Sets the index of the message that the chunk belongs to.
    #[must_use]
    pub fn with_index(mut self, index: usize) -> Self {
        self.index = Some(index);
        self
    }

    /// Adds an entry to the provider's custom data.
    #[must_use]
    pub fn with_custom(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.custom.insert(key.into(), value.into());
        self
    }

    /// Returns the text of the chunk.
    pub fn text(&self) -> String {
        self.content.iter().filter_map(Part::as_text).collect()
    }

    /// Returns the reasoning (the model's thoughts) in the chunk.
    pub fn reasoning(&self) -> String {
        self.content
            .iter()
            .filter_map(|part| match part {
                Part::Reasoning { reasoning, .. } => Some(reasoning.as_str()),
                _ => None,
            })
            .collect()
    }

    /// Returns the tool requests in the chunk, except partial requests.
    pub fn tool_requests(&self) -> impl Iterator<Item = &ToolRequest> {
        self.content.iter().filter_map(Part::as_tool_request).filter(|request| !request.partial)
    }

    /// Returns the partial tool requests in the chunk, which the model is still writing. Their input is the part
    /// received so far, or `Null`. The complete tool request follows with the same id.
    pub fn partial_tool_requests(&self) -> impl Iterator<Item = &ToolRequest> {
        self.content.iter().filter_map(Part::as_tool_request).filter(|request| request.partial)
    }
}
