//! Messages and their parts: plain data in Genkit's JSON.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Who speaks in a [`Message`].
///
/// ```
/// use genkit::{Message, Role};
///
/// assert_eq!(Message::model("It is sunny.").role, Role::Model);
/// assert_eq!(serde_json::to_value(Role::Model).unwrap(), "model");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Instructions that stand above the conversation.
    System,
    /// The person, or the program, that asks.
    User,
    /// The language model. MCP calls it `assistant`.
    Model,
    /// The answers of tools.
    Tool,
}

/// One message of a conversation or of a prompt.
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
    /// Who speaks.
    pub role: Role,
    /// What is said, part by part.
    pub content: Vec<Part>,
    /// Data for programs.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

impl Message {
    /// A message of `role`.
    pub fn new(role: Role, content: impl IntoIterator<Item = Part>) -> Self {
        Self { role, content: content.into_iter().collect(), metadata: Map::new() }
    }

    /// What the user says.
    ///
    /// ```
    /// assert_eq!(genkit::Message::user("hi").role, genkit::Role::User);
    /// ```
    pub fn user(content: impl Into<Part>) -> Self {
        Self::new(Role::User, [content.into()])
    }

    /// What the model says.
    ///
    /// ```
    /// assert_eq!(genkit::Message::model("hello").role, genkit::Role::Model);
    /// ```
    pub fn model(content: impl Into<Part>) -> Self {
        Self::new(Role::Model, [content.into()])
    }

    /// What stands above the conversation.
    ///
    /// ```
    /// assert_eq!(genkit::Message::system("be brief").role, genkit::Role::System);
    /// ```
    pub fn system(content: impl Into<Part>) -> Self {
        Self::new(Role::System, [content.into()])
    }

    /// The message with one more part.
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

    /// All text parts, joined.
    pub fn text(&self) -> String {
        self.content.iter().filter_map(Part::as_text).collect()
    }
}

/// A piece of content: text, media, a resource or data.
///
/// The JSON is Genkit's: the key that is present tells the kind.
///
/// ```
/// use genkit::Part;
///
/// let part = Part::text("hello");
/// assert_eq!(serde_json::to_string(&part).unwrap(), r#"{"text":"hello"}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Part {
    /// Text.
    Text {
        /// The text.
        text: String,
        /// Data for programs.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        metadata: Map<String, Value>,
    },
    /// An image, audio, or another file, by URL or inline as a `data:` URL.
    Media {
        /// Where it is and what it is.
        media: Media,
        /// Data for programs.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        metadata: Map<String, Value>,
    },
    /// A resource: its address alone, or its content too.
    Resource {
        /// The resource.
        resource: ResourcePart,
        /// Data for programs.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        metadata: Map<String, Value>,
    },
    /// Any JSON.
    Data {
        /// The value.
        data: Value,
        /// Data for programs.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        metadata: Map<String, Value>,
    },
}

/// An image, audio or another file.
///
/// ```
/// use genkit::Part;
///
/// let Part::Media { media, .. } = Part::image("image/png", [1, 2]) else { panic!() };
/// assert_eq!(media.url, "data:image/png;base64,AQI=");
/// assert_eq!(media.content_type.as_deref(), Some("image/png"));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Media {
    /// A `data:` URL with the bytes, or an address.
    pub url: String,
    /// The media type, for example `image/png`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
}

/// A resource inside a message: with `text` or `blob` it is embedded, without it is a link.
///
/// ```
/// use genkit::Part;
///
/// let part = Part::resource_text("note://1", "text/plain", "buy milk");
/// let Part::Resource { resource, .. } = part else { panic!() };
/// assert_eq!((resource.uri.as_str(), resource.text.as_deref()), ("note://1", Some("buy milk")));
/// assert_eq!((resource.mime_type.as_deref(), resource.blob), (Some("text/plain"), None));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourcePart {
    /// The address of the resource.
    pub uri: String,
    /// The media type, for example `text/markdown`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The content, if it is text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The content in base64, if it is not text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob: Option<String>,
}

impl Part {
    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into(), metadata: Map::new() }
    }

    /// Media by its URL.
    ///
    /// ```
    /// use genkit::Part;
    ///
    /// let photo = Part::media("https://example.com/cat.png", "image/png");
    /// ```
    pub fn media(url: impl Into<String>, content_type: impl Into<String>) -> Self {
        let media = Media { url: url.into(), content_type: Some(content_type.into()) };
        Self::Media { media, metadata: Map::new() }
    }

    /// An image from its bytes.
    ///
    /// ```
    /// let part = genkit::Part::image("image/png", [0x89, b'P', b'N', b'G']);
    /// ```
    pub fn image(content_type: &str, bytes: impl AsRef<[u8]>) -> Self {
        Self::inline(content_type, bytes)
    }

    /// Audio from its bytes.
    ///
    /// ```
    /// let part = genkit::Part::audio("audio/wav", b"RIFF");
    /// ```
    pub fn audio(content_type: &str, bytes: impl AsRef<[u8]>) -> Self {
        Self::inline(content_type, bytes)
    }

    fn inline(content_type: &str, bytes: impl AsRef<[u8]>) -> Self {
        Self::media(format!("data:{content_type};base64,{}", STANDARD.encode(bytes)), content_type)
    }

    /// A resource with its text.
    ///
    /// ```
    /// let part = genkit::Part::resource_text("note://1", "text/plain", "buy milk");
    /// ```
    pub fn resource_text(
        uri: impl Into<String>,
        mime_type: impl Into<String>,
        text: impl Into<String>,
    ) -> Self {
        Self::resource(ResourcePart {
            text: Some(text.into()),
            mime_type: Some(mime_type.into()),
            ..ResourcePart::link(uri)
        })
    }

    /// A resource with its bytes.
    ///
    /// ```
    /// let part = genkit::Part::resource_bytes("file:///a.bin", "application/octet-stream", [1, 2]);
    /// ```
    pub fn resource_bytes(
        uri: impl Into<String>,
        mime_type: impl Into<String>,
        bytes: impl AsRef<[u8]>,
    ) -> Self {
        Self::resource(ResourcePart {
            blob: Some(STANDARD.encode(bytes)),
            mime_type: Some(mime_type.into()),
            ..ResourcePart::link(uri)
        })
    }

    /// The address of a resource, without its content.
    ///
    /// ```
    /// let part = genkit::Part::resource_link("note://1");
    /// ```
    pub fn resource_link(uri: impl Into<String>) -> Self {
        Self::resource(ResourcePart::link(uri))
    }

    fn resource(resource: ResourcePart) -> Self {
        Self::Resource { resource, metadata: Map::new() }
    }

    /// Any JSON.
    ///
    /// ```
    /// let part = genkit::Part::data(serde_json::json!({"rows": 3}));
    /// ```
    pub fn data(data: Value) -> Self {
        Self::Data { data, metadata: Map::new() }
    }

    /// The text, if this is a text part.
    ///
    /// ```
    /// assert_eq!(genkit::Part::text("hi").as_text(), Some("hi"));
    /// ```
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text, .. } => Some(text),
            _ => None,
        }
    }
}

impl ResourcePart {
    fn link(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), mime_type: None, text: None, blob: None }
    }
}

impl Media {
    /// The media type and the base64 text of a `data:` URL; `None` for other URLs.
    #[cfg_attr(not(feature = "mcp-server"), expect(dead_code, reason = "read by the MCP server"))]
    pub(crate) fn inline(&self) -> Option<(&str, &str)> {
        let (head, data) = self.url.strip_prefix("data:")?.split_once(";base64,")?;
        Some((self.content_type.as_deref().unwrap_or(head), data))
    }
}

impl From<String> for Part {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<&str> for Part {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn parts_are_told_apart_by_their_key() {
        let message = Message::user("a")
            .with(Part::image("image/png", [1, 2]))
            .with(Part::resource_link("note://1"))
            .with(Part::data(json!({"n": 1})));
        let wire = serde_json::to_value(&message).expect("messages serialize");
        assert_eq!(
            wire,
            json!({"role": "user", "content": [
                {"text": "a"},
                {"media": {"url": "data:image/png;base64,AQI=", "contentType": "image/png"}},
                {"resource": {"uri": "note://1"}},
                {"data": {"n": 1}},
            ]})
        );
        assert_eq!(serde_json::from_value::<Message>(wire).expect("and come back"), message);
    }
}
