//! The parts of a message, told apart by the key that is present.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::call::{ToolRequest, ToolResponse};

/// A piece of content: text, media, a tool call or its answer, reasoning, a resource or data.
///
/// The JSON is Genkit's: the key that is present tells the kind.
///
/// ```
/// use genkit::Part;
///
/// let part = Part::text("hello");
/// assert_eq!(serde_json::to_string(&part).unwrap(), r#"{"text":"hello"}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Part {
    /// Text.
    Text {
        /// The text.
        text: String,
        /// Data for programs.
        #[serde(skip_serializing_if = "Map::is_empty")]
        metadata: Map<String, Value>,
    },
    /// An image, audio, or another file, by URL or inline as a `data:` URL.
    Media {
        /// Where it is and what it is.
        media: Media,
        /// Data for programs.
        #[serde(skip_serializing_if = "Map::is_empty")]
        metadata: Map<String, Value>,
    },
    /// What a model thought before it answered.
    Reasoning {
        /// The thoughts, or a summary of them.
        reasoning: String,
        /// Data for programs.
        #[serde(skip_serializing_if = "Map::is_empty")]
        metadata: Map<String, Value>,
    },
    /// A model wants a tool to be called.
    #[serde(rename_all = "camelCase")]
    ToolRequest {
        /// Which tool, with what.
        tool_request: ToolRequest,
        /// Data for programs.
        #[serde(skip_serializing_if = "Map::is_empty")]
        metadata: Map<String, Value>,
    },
    /// What a tool answered.
    #[serde(rename_all = "camelCase")]
    ToolResponse {
        /// Which call, with what.
        tool_response: ToolResponse,
        /// Data for programs.
        #[serde(skip_serializing_if = "Map::is_empty")]
        metadata: Map<String, Value>,
    },
    /// A resource: its address alone, or its content too.
    Resource {
        /// The resource.
        resource: ResourcePart,
        /// Data for programs.
        #[serde(skip_serializing_if = "Map::is_empty")]
        metadata: Map<String, Value>,
    },
    /// Any JSON.
    Data {
        /// The value.
        data: Value,
        /// Data for programs.
        #[serde(skip_serializing_if = "Map::is_empty")]
        metadata: Map<String, Value>,
    },
    /// What only one model's provider knows, for example code that it ran.
    Custom {
        /// The provider's own data.
        custom: Map<String, Value>,
        /// Data for programs.
        #[serde(skip_serializing_if = "Map::is_empty")]
        metadata: Map<String, Value>,
    },
}

/// Every key that a part may have; each part has one of them.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Keys {
    text: Option<String>,
    reasoning: Option<String>,
    media: Option<Media>,
    tool_request: Option<ToolRequest>,
    tool_response: Option<ToolResponse>,
    resource: Option<ResourcePart>,
    custom: Option<Map<String, Value>>,
    /// Genkit reads a part without any key as data that is not there.
    #[serde(default)]
    data: Value,
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
}

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let keys = Keys::deserialize(deserializer)?;
        let metadata = keys.metadata.unwrap_or_default();
        Ok(if let Some(text) = keys.text {
            Self::Text { text, metadata }
        } else if let Some(reasoning) = keys.reasoning {
            Self::Reasoning { reasoning, metadata }
        } else if let Some(media) = keys.media {
            Self::Media { media, metadata }
        } else if let Some(tool_request) = keys.tool_request {
            Self::ToolRequest { tool_request, metadata }
        } else if let Some(tool_response) = keys.tool_response {
            Self::ToolResponse { tool_response, metadata }
        } else if let Some(resource) = keys.resource {
            Self::Resource { resource, metadata }
        } else if let Some(custom) = keys.custom {
            Self::Custom { custom, metadata }
        } else {
            Self::Data { data: keys.data, metadata }
        })
    }
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

    /// What a model thought.
    pub fn reasoning(text: impl Into<String>) -> Self {
        Self::Reasoning { reasoning: text.into(), metadata: Map::new() }
    }

    /// A call that a model wants.
    ///
    /// ```
    /// use genkit::{Part, ToolRequest};
    ///
    /// let part = Part::tool_request(ToolRequest::new("add", serde_json::json!({"a": 1, "b": 2})));
    /// assert_eq!(part.as_tool_request().unwrap().name, "add");
    /// ```
    pub fn tool_request(tool_request: ToolRequest) -> Self {
        Self::ToolRequest { tool_request, metadata: Map::new() }
    }

    /// What a tool answered.
    pub fn tool_response(tool_response: ToolResponse) -> Self {
        Self::ToolResponse { tool_response, metadata: Map::new() }
    }

    /// What only one provider knows.
    pub fn custom(custom: Map<String, Value>) -> Self {
        Self::Custom { custom, metadata: Map::new() }
    }

    /// The part with one more entry of its metadata.
    ///
    /// ```
    /// let part = genkit::Part::text("hi").with_metadata("purpose", "context");
    /// assert_eq!(part.metadata()["purpose"], "context");
    /// ```
    #[must_use]
    pub fn with_metadata(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.metadata_mut().insert(key.into(), value.into());
        self
    }

    /// Data for programs.
    pub fn metadata(&self) -> &Map<String, Value> {
        match self {
            Self::Text { metadata, .. }
            | Self::Media { metadata, .. }
            | Self::Reasoning { metadata, .. }
            | Self::ToolRequest { metadata, .. }
            | Self::ToolResponse { metadata, .. }
            | Self::Resource { metadata, .. }
            | Self::Data { metadata, .. }
            | Self::Custom { metadata, .. } => metadata,
        }
    }

    /// The same, to change it.
    pub fn metadata_mut(&mut self) -> &mut Map<String, Value> {
        match self {
            Self::Text { metadata, .. }
            | Self::Media { metadata, .. }
            | Self::Reasoning { metadata, .. }
            | Self::ToolRequest { metadata, .. }
            | Self::ToolResponse { metadata, .. }
            | Self::Resource { metadata, .. }
            | Self::Data { metadata, .. }
            | Self::Custom { metadata, .. } => metadata,
        }
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

    /// The call, if a model wants one here.
    pub fn as_tool_request(&self) -> Option<&ToolRequest> {
        match self {
            Self::ToolRequest { tool_request, .. } => Some(tool_request),
            _ => None,
        }
    }

    /// The answer of a tool, if this is one.
    pub fn as_tool_response(&self) -> Option<&ToolResponse> {
        match self {
            Self::ToolResponse { tool_response, .. } => Some(tool_response),
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

impl From<ToolRequest> for Part {
    fn from(request: ToolRequest) -> Self {
        Self::tool_request(request)
    }
}

impl From<ToolResponse> for Part {
    fn from(response: ToolResponse) -> Self {
        Self::tool_response(response)
    }
}

impl From<&str> for Part {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}
