//! Responses of a model, whole and in chunks.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::message::{Message, Part, Role, ToolRequest};

/// Model response: what one call answered.
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
    /// The message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
    /// Finish reason: why it stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<FinishReason>,
    /// Finish message: why it stopped, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_message: Option<String>,
    /// Usage: what it used.
    #[serde(default)]
    pub usage: Usage,
    /// Latency: how long the call took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<f64>,
    /// Custom data: what only its provider knows, such as safety ratings, grounding, the id of the
    /// response.
    #[serde(default)]
    pub custom: Map<String, Value>,
}

impl ModelResponse {
    /// Response that ended well.
    pub fn new(message: Message) -> Self {
        Self { message: Some(message), finish_reason: Some(FinishReason::Stop), ..Self::default() }
    }

    /// Response of text.
    pub fn from_text(text: impl Into<String>) -> Self {
        Self::new(Message::model(text.into()))
    }

    /// Response that calls tools.
    pub fn from_tool_requests(requests: impl IntoIterator<Item = ToolRequest>) -> Self {
        Self::new(Message::new(Role::Model, requests.into_iter().map(Part::from)))
    }

    /// Sets the finish reason: why it stopped.
    #[must_use]
    pub fn with_finish_reason(mut self, reason: FinishReason) -> Self {
        self.finish_reason = Some(reason);
        self
    }

    /// Sets the finish message: the reason as text.
    #[must_use]
    pub fn with_finish_message(mut self, text: impl Into<String>) -> Self {
        self.finish_message = Some(text.into());
        self
    }

    /// Sets the usage: what it used.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// Adds one more entry of custom data: what only its provider knows.
    #[must_use]
    pub fn with_custom(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.custom.insert(key.into(), value.into());
        self
    }
}

/// Finish reason: why a model stopped.
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
    /// It was done, or calls tools.
    Stop,
    /// The limit on tokens was reached.
    Length,
    /// Its provider would not let it answer.
    Blocked,
    /// The loop gave up: the limit on turns.
    Aborted,
    /// A tool asks something: see [`GenerateResponse::interrupts`](crate::generate::data::response::GenerateResponse::interrupts).
    Interrupted,
    /// Another reason, which is in the finish message.
    Other,
    /// Nobody knows.
    #[default]
    #[serde(other)]
    Unknown,
}

/// Usage: what a call used, as far as its provider reports it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Usage {
    /// Tokens of the request, cached ones included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Tokens of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Tokens in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_tokens: Option<u64>,
    /// Tokens of thoughts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thoughts_tokens: Option<u64>,
    /// Tokens of the request that were cached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_content_tokens: Option<u64>,
    /// Custom counts: what else is counted.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub custom: Map<String, Value>,
}

impl Usage {
    /// Sets the tokens of the request, cached ones included.
    #[must_use]
    pub fn with_input_tokens(mut self, tokens: u64) -> Self {
        self.input_tokens = Some(tokens);
        self
    }

    /// Sets the tokens of the answer.
    #[must_use]
    pub fn with_output_tokens(mut self, tokens: u64) -> Self {
        self.output_tokens = Some(tokens);
        self
    }

    /// Sets the count of all tokens.
    #[must_use]
    pub fn with_total_tokens(mut self, tokens: u64) -> Self {
        self.total_tokens = Some(tokens);
        self
    }

    /// Sets the tokens of thoughts.
    #[must_use]
    pub fn with_thoughts_tokens(mut self, tokens: u64) -> Self {
        self.thoughts_tokens = Some(tokens);
        self
    }

    /// Sets the tokens of the request that were cached.
    #[must_use]
    pub fn with_cached_content_tokens(mut self, tokens: u64) -> Self {
        self.cached_content_tokens = Some(tokens);
        self
    }

    /// Adds one more count.
    #[must_use]
    pub fn with_custom(mut self, key: impl Into<String>, count: impl Into<Value>) -> Self {
        self.custom.insert(key.into(), count.into());
        self
    }

    /// Adds what another call used.
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

/// Chunk of an answer while it is being written.
///
/// The loop numbers the messages that it produces: chunks of the model's first message have the
/// index 0, the tools' answers 1, the model's next message 2.
///
/// ```
/// use genkit::model::GenerateChunk;
///
/// assert_eq!(GenerateChunk::from_text("hel").text(), "hel");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GenerateChunk {
    /// Role: whose message it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Index: which of the produced messages this belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// Content: what is new.
    pub content: Vec<Part>,
    /// Custom data: what only the provider knows.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub custom: Map<String, Value>,
}

impl GenerateChunk {
    /// Chunk with these parts.
    pub fn new(content: impl IntoIterator<Item = Part>) -> Self {
        Self { content: content.into_iter().collect(), ..Self::default() }
    }

    /// Chunk of text.
    pub fn from_text(text: impl Into<String>) -> Self {
        Self::new([Part::text(text)])
    }

    /// Sets the role: whose message it is.
    #[must_use]
    pub fn with_role(mut self, role: Role) -> Self {
        self.role = Some(role);
        self
    }

    /// Sets the index: which of the produced messages it belongs to.
    #[must_use]
    pub fn with_index(mut self, index: usize) -> Self {
        self.index = Some(index);
        self
    }

    /// Adds one more entry of custom data: what only the provider knows.
    #[must_use]
    pub fn with_custom(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.custom.insert(key.into(), value.into());
        self
    }

    /// Text of the chunk.
    pub fn text(&self) -> String {
        self.content.iter().filter_map(Part::as_text).collect()
    }

    /// Reasoning in the chunk: the model's thoughts.
    pub fn reasoning(&self) -> String {
        self.content
            .iter()
            .filter_map(|part| match part {
                Part::Reasoning { reasoning, .. } => Some(reasoning.as_str()),
                _ => None,
            })
            .collect()
    }

    /// Tool requests in the chunk.
    pub fn tool_requests(&self) -> impl Iterator<Item = &ToolRequest> {
        self.content.iter().filter_map(Part::as_tool_request)
    }
}
