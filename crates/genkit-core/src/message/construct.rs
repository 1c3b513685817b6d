//! Constructors of parts.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use super::media::{Media, ResourcePart};
use super::part::{Part, ToolResponse};
use super::tool_request::ToolRequest;

impl Part {
    /// Creates a text part.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into(), metadata: Map::new() }
    }

    /// Creates a media part from a URL and a content type.
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

    #[doc(hidden)]
    pub fn from_media(media: Media) -> Self {
        Self::Media { media, metadata: Map::new() }
    }

    #[doc(hidden)]
    pub fn from_resource(resource: ResourcePart) -> Self {
        Self::Resource { resource, metadata: Map::new() }
    }

    /// Creates an image part from its bytes.
    ///
    /// ```
    /// let part = genkit::Part::image("image/png", [0x89, b'P', b'N', b'G']);
    /// ```
    pub fn image(content_type: &str, bytes: impl AsRef<[u8]>) -> Self {
        Self::from_bytes(content_type, bytes)
    }

    /// Creates an audio part from its bytes.
    ///
    /// ```
    /// let part = genkit::Part::audio("audio/wav", b"RIFF");
    /// ```
    pub fn audio(content_type: &str, bytes: impl AsRef<[u8]>) -> Self {
        Self::from_bytes(content_type, bytes)
    }

    fn from_bytes(content_type: &str, bytes: impl AsRef<[u8]>) -> Self {
        Self::media(format!("data:{content_type};base64,{}", STANDARD.encode(bytes)), content_type)
    }

    /// Creates a resource part with text content.
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
            ..ResourcePart::from_link(uri)
        })
    }

    /// Creates a resource part with binary content.
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
            ..ResourcePart::from_link(uri)
        })
    }

    /// Creates a resource link: the URI of a resource, without its content.
    ///
    /// ```
    /// let part = genkit::Part::resource_link("note://1");
    /// ```
    pub fn resource_link(uri: impl Into<String>) -> Self {
        Self::resource(ResourcePart::from_link(uri))
    }

    fn resource(resource: ResourcePart) -> Self {
        Self::Resource { resource, metadata: Map::new() }
    }

    /// Creates a data part from any JSON.
    ///
    /// ```
    /// let part = genkit::Part::data(serde_json::json!({"rows": 3}));
    /// ```
    pub fn data(data: Value) -> Self {
        Self::Data { data, metadata: Map::new() }
    }

    /// Creates a reasoning part, as produced by models.
    pub fn reasoning(text: impl Into<String>) -> Self {
        Self::Reasoning { reasoning: text.into(), metadata: Map::new() }
    }

    /// Creates a tool request part, as produced by models.
    ///
    /// ```
    /// use genkit::message::ToolRequest;
    /// use genkit::Part;
    ///
    /// let part = Part::tool_request(ToolRequest::new("add", serde_json::json!({"a": 1, "b": 2})));
    /// assert_eq!(part.as_tool_request().unwrap().name, "add");
    /// ```
    pub fn tool_request(tool_request: ToolRequest) -> Self {
        Self::ToolRequest { tool_request, metadata: Map::new() }
    }

    /// Creates a tool response part.
    pub fn tool_response(tool_response: ToolResponse) -> Self {
        Self::ToolResponse { tool_response, metadata: Map::new() }
    }

    /// Creates a custom part, with data that is specific to one provider.
    pub fn custom(custom: Map<String, Value>) -> Self {
        Self::Custom { custom, metadata: Map::new() }
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
