//! Responses of a model, whole and in chunks.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::message::{Message, Part, Role, ToolRequest};

/// One answer of a model.
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
    /// Why it stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<FinishReason>,
    /// Why it stopped, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_message: Option<String>,
    /// What it used.
    #[serde(default)]
    pub usage: Usage,
    /// How long the call took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<f64>,
    /// What only its provider knows: safety ratings, grounding, the id of the response.
    #[serde(default)]
    pub custom: Map<String, Value>,
}

impl ModelResponse {
    /// An answer that ended well.
    pub fn new(message: Message) -> Self {
        Self { message: Some(message), finish_reason: Some(FinishReason::Stop), ..Self::default() }
    }

    /// An answer of text.
    pub fn from_text(text: impl Into<String>) -> Self {
        Self::new(Message::model(text.into()))
    }

    /// An answer that calls tools.
    pub fn from_tool_requests(requests: impl IntoIterator<Item = ToolRequest>) -> Self {
        Self::new(Message::new(Role::Model, requests.into_iter().map(Part::from)))
    }

    /// The same with another reason why it stopped.
    #[must_use]
    pub fn with_finish_reason(mut self, reason: FinishReason) -> Self {
        self.finish_reason = Some(reason);
        self
    }

    /// The same with the reason as text.
    #[must_use]
    pub fn with_finish_message(mut self, text: impl Into<String>) -> Self {
        self.finish_message = Some(text.into());
        self
    }

    /// The same with what it used.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// The same with one more entry of what only its provider knows.
    #[must_use]
    pub fn with_custom(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.custom.insert(key.into(), value.into());
        self
    }
}

/// Why a model stopped.
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
    /// A tool asks something: see [`GenerateResponse::interrupts`](crate::GenerateResponse::interrupts).
    Interrupted,
    /// Another reason, which is in the finish message.
    Other,
    /// Nobody knows.
    #[default]
    #[serde(other)]
    Unknown,
}

/// What a call used, as far as its provider reports it.
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
    /// All tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_tokens: Option<u64>,
    /// Tokens of thoughts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thoughts_tokens: Option<u64>,
    /// Tokens of the request that were cached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_content_tokens: Option<u64>,
    /// What else is counted.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub custom: Map<String, Value>,
}

impl Usage {
    /// The same with the tokens of the request, cached ones included.
    #[must_use]
    pub fn with_input_tokens(mut self, tokens: u64) -> Self {
        self.input_tokens = Some(tokens);
        self
    }

    /// The same with the tokens of the answer.
    #[must_use]
    pub fn with_output_tokens(mut self, tokens: u64) -> Self {
        self.output_tokens = Some(tokens);
        self
    }

    /// The same with all tokens.
    #[must_use]
    pub fn with_total_tokens(mut self, tokens: u64) -> Self {
        self.total_tokens = Some(tokens);
        self
    }

    /// The same with the tokens of thoughts.
    #[must_use]
    pub fn with_thoughts_tokens(mut self, tokens: u64) -> Self {
        self.thoughts_tokens = Some(tokens);
        self
    }

    /// The same with the tokens of the request that were cached.
    #[must_use]
    pub fn with_cached_content_tokens(mut self, tokens: u64) -> Self {
        self.cached_content_tokens = Some(tokens);
        self
    }

    /// The same with one more count.
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

/// A piece of an answer while it is being written.
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
    /// Whose message it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Which of the produced messages this belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// What is new.
    pub content: Vec<Part>,
    /// What only the provider knows.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub custom: Map<String, Value>,
}

impl GenerateChunk {
    /// A chunk with these parts.
    pub fn new(content: impl IntoIterator<Item = Part>) -> Self {
        Self { content: content.into_iter().collect(), ..Self::default() }
    }

    /// A piece of text.
    pub fn from_text(text: impl Into<String>) -> Self {
        Self::new([Part::text(text)])
    }

    /// The same with whose message it is.
    #[must_use]
    pub fn with_role(mut self, role: Role) -> Self {
        self.role = Some(role);
        self
    }

    /// The same with which of the produced messages it belongs to.
    #[must_use]
    pub fn with_index(mut self, index: usize) -> Self {
        self.index = Some(index);
        self
    }

    /// The same with one more entry of what only the provider knows.
    #[must_use]
    pub fn with_custom(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.custom.insert(key.into(), value.into());
        self
    }

    /// Its text.
    pub fn text(&self) -> String {
        self.content.iter().filter_map(Part::as_text).collect()
    }

    /// The model's thoughts in it.
    pub fn reasoning(&self) -> String {
        self.content
            .iter()
            .filter_map(|part| match part {
                Part::Reasoning { reasoning, .. } => Some(reasoning.as_str()),
                _ => None,
            })
            .collect()
    }

    /// The tool calls in it.
    pub fn tool_requests(&self) -> impl Iterator<Item = &ToolRequest> {
        self.content.iter().filter_map(Part::as_tool_request)
    }
}
