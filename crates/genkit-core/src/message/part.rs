//! The parts of a message, distinguished by the key that is present, and the tool responses that contain parts.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::media::{Media, ResourcePart};
use super::tool_request::ToolRequest;

/// A part of a message: text, media, a tool request or its response, reasoning, a resource or data.
///
/// The JSON is the same as in Genkit for other languages: the key that is present determines the kind.
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
    #[non_exhaustive]
    Text {
        /// The text.
        text: String,
        /// Metadata for providers and the program.
        #[serde(skip_serializing_if = "Map::is_empty")]
        metadata: Map<String, Value>,
    },
    /// Media: an image, audio, or another file, by URL or inline as a `data:` URL.
    #[non_exhaustive]
    Media {
        /// The URL and media type.
        media: Media,
        /// Metadata for providers and programs, such as a cache breakpoint.
        #[serde(skip_serializing_if = "Map::is_empty")]
        metadata: Map<String, Value>,
    },
    /// Reasoning of a model before its response.
    #[non_exhaustive]
    Reasoning {
        /// The reasoning text, or a summary of it.
        reasoning: String,
        /// Metadata for providers and the program.
        #[serde(skip_serializing_if = "Map::is_empty")]
        metadata: Map<String, Value>,
    },
    /// A tool request: a tool call requested by a model.
    #[serde(rename_all = "camelCase")]
    #[non_exhaustive]
    ToolRequest {
        /// The name of the tool, and its arguments.
        tool_request: ToolRequest,
        /// Metadata for providers and the program.
        #[serde(skip_serializing_if = "Map::is_empty")]
        metadata: Map<String, Value>,
    },
    /// A tool response: the result of a tool call.
    #[serde(rename_all = "camelCase")]
    #[non_exhaustive]
    ToolResponse {
        /// The reference of the call, and its result.
        tool_response: ToolResponse,
        /// Metadata for providers and the program.
        #[serde(skip_serializing_if = "Map::is_empty")]
        metadata: Map<String, Value>,
    },
    /// A resource: its URI, with or without content.
    #[non_exhaustive]
    Resource {
        /// The resource.
        resource: ResourcePart,
        /// Metadata for providers and the program.
        #[serde(skip_serializing_if = "Map::is_empty")]
        metadata: Map<String, Value>,
    },
    /// Data, which can be any JSON.
    #[non_exhaustive]
    Data {
        /// The value.
        data: Value,
        /// Metadata for providers and the program.
        #[serde(skip_serializing_if = "Map::is_empty")]
        metadata: Map<String, Value>,
    },
    /// Custom data of one provider, for example code that the model executed.
    #[non_exhaustive]
    Custom {
        /// The provider's own data.
        custom: Map<String, Value>,
        /// Metadata for providers and the program.
        #[serde(skip_serializing_if = "Map::is_empty")]
        metadata: Map<String, Value>,
    },
}

/// All keys of parts. Each part has one of them.
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
    /// Genkit treats a part without any key as a data part without data.
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

/// Returns the metadata of a part, by shared or exclusive reference.
macro_rules! metadata_of {
    ($part:ident) => {
        match $part {
            Part::Text { metadata, .. }
            | Part::Media { metadata, .. }
            | Part::Reasoning { metadata, .. }
            | Part::ToolRequest { metadata, .. }
            | Part::ToolResponse { metadata, .. }
            | Part::Resource { metadata, .. }
            | Part::Data { metadata, .. }
            | Part::Custom { metadata, .. } => metadata,
        }
    };
}

impl Part {
    /// Adds an entry to the metadata.
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

    /// Returns the metadata, such as a cache breakpoint.
    pub fn metadata(&self) -> &Map<String, Value> {
        metadata_of!(self)
    }

    /// Returns a mutable reference to the metadata.
    pub fn metadata_mut(&mut self) -> &mut Map<String, Value> {
        metadata_of!(self)
    }

    /// Returns whether this is a placeholder for a part that is added later.
    #[doc(hidden)]
    pub fn is_pending(&self) -> bool {
        self.metadata().get("pending").is_some_and(|pending| *pending == true)
    }

    /// Returns whether this is a placeholder without content.
    #[doc(hidden)]
    pub fn is_empty_placeholder(&self) -> bool {
        self.is_pending() && matches!(self, Self::Data { data: Value::Null, .. })
    }

    /// Returns the text, if this is a text part.
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

    /// Returns the tool request, if this is a tool request part.
    pub fn as_tool_request(&self) -> Option<&ToolRequest> {
        match self {
            Self::ToolRequest { tool_request, .. } => Some(tool_request),
            _ => None,
        }
    }

    /// Returns the tool response, if this is a tool response part.
    pub fn as_tool_response(&self) -> Option<&ToolResponse> {
        match self {
            Self::ToolResponse { tool_response, .. } => Some(tool_response),
            _ => None,
        }
    }
}

/// A tool response: the result of a [`ToolRequest`].
///
/// ```
/// use genkit::message::ToolResponse;
///
/// let answer = ToolResponse::new("add", 3);
/// assert_eq!(serde_json::to_string(&answer).unwrap(), r#"{"name":"add","output":3}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolResponse {
    /// The name of the tool.
    pub name: String,
    /// The reference (`ref`) of the request.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The result, or `{"error": ".."}` if the tool failed.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub output: Value,
    /// Content in addition to the result, such as images and text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<Part>,
}

impl ToolRequest {
    /// Creates a tool response to this request.
    pub fn respond(&self, output: impl Into<Value>) -> ToolResponse {
        ToolResponse {
            name: self.name.clone(),
            id: self.id.clone(),
            output: output.into(),
            content: Vec::new(),
        }
    }

    /// Converts the request into its tool response.
    #[doc(hidden)]
    pub fn into_response(self, output: Value) -> ToolResponse {
        ToolResponse { name: self.name, id: self.id, output, content: Vec::new() }
    }
}

impl ToolResponse {
    /// Creates a tool response for the tool `name`.
    pub fn new(name: impl Into<String>, output: impl Into<Value>) -> Self {
        Self { name: name.into(), id: None, output: output.into(), content: Vec::new() }
    }

    /// Sets the reference of the request.
    #[must_use]
    pub fn with_id(mut self, reference: impl Into<String>) -> Self {
        self.id = Some(reference.into());
        self
    }

    /// Returns the error text under `error`, if the tool failed.
    ///
    /// ```
    /// let answer = genkit::message::ToolResponse::new("add", serde_json::json!({"error": "no such number"}));
    /// assert_eq!(answer.error(), Some("no such number"));
    /// ```
    pub fn error(&self) -> Option<&str> {
        let object = self.output.as_object().filter(|object| object.len() == 1)?;
        object.get("error")?.as_str()
    }
}
