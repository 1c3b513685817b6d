//! Messages and their parts: plain data that serde converts from and to Genkit's JSON.
//!
//! ```
//! use genkit::{Message, Part};
//!
//! let question = Message::user("What is in this picture?")
//!     .with(Part::media("https://example.com/cat.png", "image/png"));
//! assert_eq!(question.content.len(), 2);
//! let stored = serde_json::to_string(&question)?;
//! assert_eq!(serde_json::from_str::<Message>(&stored)?, question);
//! # Ok::<(), serde_json::Error>(())
//! ```

mod annotations;
mod cache;
mod construct;
mod media;
mod part;
mod tool_request;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use annotations::Annotations;
pub use cache::cache_breakpoint;
pub use cache::set_cache_breakpoint;
pub use media::{Media, ResourcePart};
pub use part::{Part, ToolResponse};
pub use tool_request::ToolRequest;

/// The metadata key of a pinned message.
const PINNED: &str = "pinned";

/// The role of a [`Message`]'s author.
///
/// ```
/// use genkit::{Message, Role};
///
/// assert_eq!(Message::model("It is sunny.").role, Role::Model);
/// assert_eq!(serde_json::to_value(Role::Model).unwrap(), "model");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Role {
    /// Instructions that apply to the whole conversation.
    System,
    /// The user, or the program that sends the request.
    User,
    /// The language model. MCP calls it `assistant`.
    Model,
    /// The results of tools.
    Tool,
}

/// A message of a conversation or of a prompt.
///
/// ```
/// use genkit::Message;
///
/// let message = Message::user("What is the weather in Baltimore?");
/// assert_eq!(message.text(), "What is the weather in Baltimore?");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Message {
    /// The role of the author.
    pub role: Role,
    /// The parts of the content.
    pub content: Vec<Part>,
    /// Metadata for providers and the program.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

impl Message {
    /// Creates a message with this `role`.
    pub fn new(role: Role, content: impl IntoIterator<Item = Part>) -> Self {
        Self { role, content: content.into_iter().collect(), metadata: Map::new() }
    }

    /// Creates a user message.
    ///
    /// ```
    /// assert_eq!(genkit::Message::user("hi").role, genkit::Role::User);
    /// ```
    pub fn user(content: impl Into<Part>) -> Self {
        Self::new(Role::User, [content.into()])
    }

    /// Creates a model message.
    ///
    /// ```
    /// assert_eq!(genkit::Message::model("hello").role, genkit::Role::Model);
    /// ```
    pub fn model(content: impl Into<Part>) -> Self {
        Self::new(Role::Model, [content.into()])
    }

    /// Creates a system message, with instructions that apply to the whole conversation.
    ///
    /// ```
    /// assert_eq!(genkit::Message::system("be brief").role, genkit::Role::System);
    /// ```
    pub fn system(content: impl Into<Part>) -> Self {
        Self::new(Role::System, [content.into()])
    }

    /// Adds a part.
    ///
    /// ```
    /// use genkit::{Message, Part};
    ///
    /// let message = Message::user("Look:").with(Part::image("image/png", b"..."));
    /// assert_eq!(message.content.len(), 2);
    /// ```
    #[must_use]
    pub fn with(mut self, part: impl Into<Part>) -> Self {
        self.content.push(part.into());
        self
    }

    /// Pins the message, so that `compact` never removes it.
    ///
    /// ```
    /// use genkit::Message;
    ///
    /// let rule = Message::user("I am allergic to nuts.").pinned();
    /// assert!(rule.is_pinned() && !Message::user("hi").is_pinned());
    /// ```
    #[must_use]
    pub fn pinned(mut self) -> Self {
        self.metadata.insert(PINNED.to_owned(), true.into());
        self
    }

    /// Returns whether the message is [pinned](Self::pinned).
    pub fn is_pinned(&self) -> bool {
        self.metadata.get(PINNED).is_some_and(|mark| mark == true)
    }

    /// Returns the tool requests of the message, except partial requests.
    ///
    /// ```
    /// use genkit::message::ToolRequest;
    /// use genkit::Message;
    ///
    /// let message = Message::model(ToolRequest::new("now", serde_json::Value::Null));
    /// assert_eq!(message.tool_requests().next().unwrap().name, "now");
    /// ```
    pub fn tool_requests(&self) -> impl Iterator<Item = &ToolRequest> {
        self.content.iter().filter_map(Part::as_tool_request).filter(|request| !request.partial)
    }

    /// Returns the tool responses of the message.
    ///
    /// ```
    /// use genkit::message::ToolResponse;
    /// use genkit::{Message, Role};
    ///
    /// let message = Message::new(Role::Tool, [ToolResponse::new("add", 5).into()]);
    /// assert_eq!(message.tool_responses().next().unwrap().output, 5);
    /// ```
    pub fn tool_responses(&self) -> impl Iterator<Item = &ToolResponse> {
        self.content.iter().filter_map(Part::as_tool_response)
    }

    /// Returns the text of all text parts, concatenated.
    pub fn text(&self) -> String {
        self.content.iter().filter_map(Part::as_text).collect()
    }
}
