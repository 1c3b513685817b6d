//! The data that a prompt is rendered with, and the rendered messages.

use serde_json::{Map, Value, json};

use crate::metadata::Metadata;
use crate::prompt::PromptFile;

/// The data that a prompt is rendered with.
///
/// ```
/// use genkit_dotprompt::Data;
///
/// let data = Data::from_input(serde_json::json!({"city": "Rome"}));
/// assert_eq!(data.input["city"], "Rome");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Data {
    /// The variables.
    pub input: Map<String, Value>,
    /// The variables that start with `@`, keyed by their names without the `@`.
    pub context: Map<String, Value>,
    /// Earlier messages, in Genkit's format: `{role, content: [..], metadata?}`.
    pub messages: Vec<Value>,
    /// Documents, available as `@metadata.docs`.
    pub docs: Vec<Value>,
}

impl Data {
    /// Creates data with variables only. If `input` is not an object, there are no variables.
    pub fn from_input(input: Value) -> Self {
        let input = match input {
            Value::Object(map) => map,
            _ => Map::new(),
        };
        Self { input, ..Self::default() }
    }

    /// Adds the defaults of the prompt's frontmatter for variables that are missing.
    ///
    /// ```
    /// use genkit_dotprompt::{Data, PromptFile};
    ///
    /// let prompt = PromptFile::parse("trip.prompt", "---\ninput: {default: {days: 3}}\n---\n{{days}} days")?;
    /// assert_eq!(Data::default().with_defaults(&prompt).input["days"], 3);
    /// # Ok::<(), genkit_dotprompt::Error>(())
    /// ```
    #[must_use]
    pub fn with_defaults(mut self, prompt: &PromptFile) -> Self {
        for (name, default) in prompt.input_default().into_iter().flatten() {
            if !self.input.contains_key(name) {
                self.input.insert(name.clone(), default.clone());
            }
        }
        self
    }
}

/// A rendered prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendered {
    /// The messages, including the history.
    pub messages: Vec<RenderedMessage>,
    /// The prompt's metadata, without `input`.
    pub metadata: Metadata,
}

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Instructions.
    System,
    /// The user.
    User,
    /// The model.
    Model,
    /// Results of tools.
    Tool,
}

impl Role {
    pub(crate) const ALL: [Self; 4] = [Self::System, Self::User, Self::Model, Self::Tool];

    /// Returns `system`, `user`, `model` or `tool`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Model => "model",
            Self::Tool => "tool",
        }
    }

    pub(crate) fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == name)
    }
}

/// A message of a rendered prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct RenderedMessage {
    /// The author of the message.
    pub role: Role,
    /// The parts of the message.
    pub content: Vec<RenderedPart>,
    /// The metadata. Messages of the history keep their metadata, with `purpose: "history"` if `{{history}}` inserted
    /// them.
    pub metadata: Option<Map<String, Value>>,
}

impl RenderedMessage {
    /// Returns the text of all parts, concatenated.
    pub fn text(&self) -> String {
        let text = |part: &RenderedPart| match part {
            RenderedPart::Text(text) => Some(text.clone()),
            RenderedPart::Given(value) => value.get("text")?.as_str().map(str::to_owned),
            _ => None,
        };
        self.content.iter().filter_map(text).collect()
    }

    /// Converts the message to Genkit's format.
    pub fn to_value(&self) -> Value {
        let content: Vec<_> = self.content.iter().map(RenderedPart::to_value).collect();
        let mut message = json!({"role": self.role.as_str(), "content": content});
        if let Some(metadata) = &self.metadata {
            message["metadata"] = Value::Object(metadata.clone());
        }
        message
    }
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RenderedPart {
    /// Text.
    Text(String),
    /// Media, from `{{media url=.. contentType=..}}`.
    Media {
        /// The URL, which may be a `data:` URL.
        url: String,
        /// The media type, if the template specifies it.
        content_type: Option<String>,
    },
    /// A section, from `{{section "name"}}`: a placeholder that is filled later.
    Section {
        /// The name.
        name: String,
    },
    /// A part of an earlier message, unchanged.
    Given(Value),
}

impl RenderedPart {
    /// Converts the part to Genkit's format.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Text(text) => json!({"text": text}),
            Self::Media { url, content_type: None } => json!({"media": {"url": url}}),
            Self::Media { url, content_type: Some(kind) } => {
                json!({"media": {"url": url, "contentType": kind}})
            }
            Self::Section { name } => json!({"metadata": {"purpose": name, "pending": true}}),
            Self::Given(value) => value.clone(),
        }
    }
}
