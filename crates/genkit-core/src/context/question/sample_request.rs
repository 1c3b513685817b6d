//! Sampling requests: the conversation for the client's model to continue, with options.

use crate::message::Message;

/// The maximum number of tokens in a sampled response. Default is 1,024.
const DEFAULT_MAX_TOKENS: u32 = 1024;

/// A sampling request to the client's model, as data.
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
    #[doc(hidden)]
    pub messages: Vec<Message>,
    #[doc(hidden)]
    pub system: Option<String>,
    #[doc(hidden)]
    pub max_tokens: u32,
    #[doc(hidden)]
    pub temperature: Option<f32>,
    #[doc(hidden)]
    pub stop: Vec<String>,
}

impl SampleRequest {
    /// Creates a request to continue a conversation. The default token limit is 1,024.
    pub fn new(messages: impl IntoIterator<Item = Message>) -> Self {
        Self {
            messages: messages.into_iter().collect(),
            system: None,
            max_tokens: DEFAULT_MAX_TOKENS,
            temperature: None,
            stop: Vec::new(),
        }
    }

    /// Sets the system prompt: instructions that apply to the whole conversation.
    #[must_use]
    pub fn with_system(mut self, text: impl Into<String>) -> Self {
        self.system = Some(text.into());
        self
    }

    /// Sets the token limit: the maximum number of tokens in the response. Default is 1,024.
    #[must_use]
    pub fn with_max_tokens(mut self, tokens: u32) -> Self {
        self.max_tokens = tokens;
        self
    }

    /// Sets the temperature: the randomness of the response, from 0. Default is the client's setting.
    #[must_use]
    pub fn with_temperature(mut self, temperature: f32) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// Adds a stop sequence: the model stops before it generates this string.
    #[must_use]
    pub fn with_stop(mut self, sequence: impl Into<String>) -> Self {
        self.stop.push(sequence.into());
        self
    }

    /// Returns the messages of the conversation.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Returns the system prompt.
    pub fn system(&self) -> Option<&str> {
        self.system.as_deref()
    }

    /// Returns the token limit of the response.
    pub fn max_tokens(&self) -> u32 {
        self.max_tokens
    }

    /// Returns the temperature.
    pub fn temperature(&self) -> Option<f32> {
        self.temperature
    }

    /// Returns the stop sequences: the strings that end the generation.
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
