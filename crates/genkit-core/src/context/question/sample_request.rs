//! Sampling requests: the conversation that the client's model continues, and its options.

use crate::message::Message;

/// Tokens that a sampled answer may have. Default is 1,024.
const DEFAULT_MAX_TOKENS: u32 = 1024;

/// Sampling request to the client's model, as data.
///
/// ```
/// use genkit::context::SampleRequest;
/// use genkit::Message;
///
/// let request =
///     SampleRequest::new([Message::user("Name a colour.")]).with_system("Answer in one word.");
/// assert_eq!(request.system(), Some("Answer in one word."));
/// assert_eq!(request.messages(), SampleRequest::from("Name a colour.").messages());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SampleRequest {
    pub messages: Vec<Message>,
    pub system: Option<String>,
    pub max_tokens: u32,
    pub temperature: Option<f32>,
    pub stop: Vec<String>,
}

impl SampleRequest {
    /// Request that the model continue a conversation. At most 1,024 tokens by default.
    pub fn new(messages: impl IntoIterator<Item = Message>) -> Self {
        Self {
            messages: messages.into_iter().collect(),
            system: None,
            max_tokens: DEFAULT_MAX_TOKENS,
            temperature: None,
            stop: Vec::new(),
        }
    }

    /// Sets the system prompt: instructions above the conversation.
    #[must_use]
    pub fn with_system(mut self, text: impl Into<String>) -> Self {
        self.system = Some(text.into());
        self
    }

    /// Sets the token limit: how many tokens the answer may have. Default is 1,024.
    #[must_use]
    pub fn with_max_tokens(mut self, tokens: u32) -> Self {
        self.max_tokens = tokens;
        self
    }

    /// Sets the temperature: how freely the model chooses, from 0. Default is the client's.
    #[must_use]
    pub fn with_temperature(mut self, temperature: f32) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// Adds one more stop sequence: a text at which the answer ends.
    #[must_use]
    pub fn with_stop(mut self, sequence: impl Into<String>) -> Self {
        self.stop.push(sequence.into());
        self
    }

    /// Messages: the conversation.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// System prompt: the instructions above the conversation.
    pub fn system(&self) -> Option<&str> {
        self.system.as_deref()
    }

    /// Token limit: how many tokens the answer may have.
    pub fn max_tokens(&self) -> u32 {
        self.max_tokens
    }

    /// Temperature: how freely the model chooses.
    pub fn temperature(&self) -> Option<f32> {
        self.temperature
    }

    /// Stop sequences: the texts at which the answer ends.
    pub fn stop(&self) -> &[String] {
        &self.stop
    }
}

impl From<&str> for SampleRequest {
    fn from(text: &str) -> Self {
        Self::new([Message::user(text)])
    }
}

impl From<String> for SampleRequest {
    fn from(text: String) -> Self {
        Self::new([Message::user(text)])
    }
}
