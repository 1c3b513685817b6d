//! The media and resources of parts: a URL, or inline content.

use serde::{Deserialize, Serialize};

/// Media: an image, audio or another file.
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
    /// A `data:` URL with the bytes, or another URL.
    pub url: String,
    /// The media type, for example `image/png`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
}

/// A resource inside a message. It is embedded if it has `text` or `blob`, and a link otherwise.
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
    /// The URI of the resource.
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

impl ResourcePart {
    #[doc(hidden)]
    pub fn new(uri: String, mime_type: Option<String>) -> Self {
        Self { uri, mime_type, text: None, blob: None }
    }
}

impl ResourcePart {
    pub(super) fn from_link(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), mime_type: None, text: None, blob: None }
    }
}

impl Media {
    #[doc(hidden)]
    pub fn new(url: String, content_type: Option<String>) -> Self {
        Self { url, content_type }
    }

    /// Returns the media type and the base64 text of a `data:` URL, or `None` for other URLs.
    #[doc(hidden)]
    pub fn inline_data(&self) -> Option<(&str, &str)> {
        let (head, data) = self.url.strip_prefix("data:")?.split_once(";base64,")?;
        Some((self.content_type.as_deref().unwrap_or(head), data))
    }
}
