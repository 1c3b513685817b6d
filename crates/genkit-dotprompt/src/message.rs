//! What goes into a rendering, and what comes out.

use serde_json::{Map, Value, json};

use crate::metadata::Metadata;
use crate::prompt::PromptFile;

/// Data that a prompt is rendered with.
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
    /// The variables that begin with `@`, by their names without it.
    pub context: Map<String, Value>,
    /// Earlier messages, in Genkit's form: `{role, content: [..], metadata?}`.
    pub messages: Vec<Value>,
    /// Documents: `@metadata.docs`.
    pub docs: Vec<Value>,
}

impl Data {
    /// Variables alone. Anything but an object gives none.
    pub fn from_input(input: Value) -> Self {
        let input = match input {
            Value::Object(map) => map,
            _ => Map::new(),
        };
        Self { input, ..Self::default() }
    }

    /// The same data with the file's own defaults where a variable is missing.
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
    /// The messages, those of the history included.
    pub messages: Vec<RenderedMessage>,
    /// What the prompt says of itself, without `input`.
    pub metadata: Metadata,
}

/// Who a message is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Instructions.
    System,
    /// Whoever asks.
    User,
    /// The model.
    Model,
    /// Results of tools.
    Tool,
}

impl Role {
    pub(crate) const ALL: [Self; 4] = [Self::System, Self::User, Self::Model, Self::Tool];

    /// `system`, `user`, `model` or `tool`.
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
    /// Who it is from.
    pub role: Role,
    /// Its parts.
    pub content: Vec<RenderedPart>,
    /// Messages of the history keep theirs, with `purpose: "history"` where `{{history}}` inserted them.
    pub metadata: Option<Map<String, Value>>,
}

impl RenderedMessage {
    /// The text of its parts, one after the other.
    pub fn text(&self) -> String {
        let text = |part: &RenderedPart| match part {
            RenderedPart::Text(text) => Some(text.clone()),
            RenderedPart::Given(value) => value.get("text")?.as_str().map(str::to_owned),
            _ => None,
        };
        self.content.iter().filter_map(text).collect()
    }

    /// In Genkit's form.
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
    /// `{{media url=.. contentType=..}}`
    Media {
        /// The address, or a `data:` URL.
        url: String,
        /// The media type, where the template gives one.
        content_type: Option<String>,
    },
    /// `{{section "name"}}`: a place that is filled later.
    Section {
        /// The name.
        name: String,
    },
    /// A part of an earlier message, as it was given.
    Given(Value),
}

impl RenderedPart {
    /// In Genkit's form.
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
