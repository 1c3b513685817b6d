//! The contents of a resource: text or bytes, converted from the return value of the function.

use serde_json::{Map, Value, json};

use crate::error::Result;

/// The contents of a resource, or a part of them: text or bytes.
///
/// ```
/// use genkit::action::ResourceContents;
/// use genkit::resource;
///
/// /// The project's logo and its licence.
/// #[resource("assets://all")]
/// async fn assets() -> Vec<ResourceContents> {
///     vec![
///         ResourceContents::bytes([0x89, b'P', b'N', b'G']).with_mime_type("image/png").with_uri("assets://logo.png"),
///         ResourceContents::text("Apache-2.0").with_uri("assets://licence"),
///     ]
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceContents {
    #[doc(hidden)]
    pub uri: Option<String>,
    #[doc(hidden)]
    pub mime_type: Option<String>,
    #[doc(hidden)]
    pub body: ContentsBody,
    #[doc(hidden)]
    pub meta: Map<String, Value>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ContentsBody {
    Text(String),
    Bytes(Vec<u8>),
}

impl ResourceContents {
    #[doc(hidden)]
    pub fn new(body: ContentsBody) -> Self {
        Self { uri: None, mime_type: None, body, meta: Map::new() }
    }

    /// Creates text contents.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(ContentsBody::Text(text.into()))
    }

    /// Creates binary contents.
    pub fn bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self::new(ContentsBody::Bytes(bytes.into()))
    }

    /// Creates contents of type `application/json` from a value.
    ///
    /// ```
    /// let contents = genkit::action::ResourceContents::json(&[1, 2, 3])?;
    /// assert_eq!(contents, genkit::action::ResourceContents::text("[1,2,3]").with_mime_type("application/json"));
    /// # Ok::<(), genkit::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the value cannot be serialized.
    pub fn json(value: &impl serde::Serialize) -> Result<Self> {
        Ok(Self::text(genkit_schema::internal::to_finite_value(value)?.to_string())
            .with_mime_type("application/json"))
    }

    /// Sets the media type. Default is the media type of the resource.
    #[must_use]
    pub fn with_mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }

    /// Sets the URI. Default is the requested URI.
    #[must_use]
    pub fn with_uri(mut self, uri: impl Into<String>) -> Self {
        self.uri = Some(uri.into());
        self
    }

    /// Adds an entry to the `_meta` that MCP clients receive with these contents.
    #[must_use]
    pub fn with_meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.meta.insert(key.into(), value.into());
        self
    }

    /// Returns the `_meta` of these contents.
    pub fn meta(&self) -> &Map<String, Value> {
        &self.meta
    }

    /// Returns the text, if these are text contents.
    ///
    /// ```
    /// use genkit::action::ResourceContents;
    ///
    /// let read = ResourceContents::text("Be kind.").with_mime_type("text/plain").with_uri("house://rules");
    /// assert_eq!((read.as_text(), read.as_bytes()), (Some("Be kind."), &b"Be kind."[..]));
    /// assert_eq!(read.mime_type(), Some("text/plain"));
    /// assert_eq!(read.uri(), Some("house://rules"));
    /// assert_eq!(ResourceContents::bytes([0x89]).as_text(), None);
    /// ```
    pub fn as_text(&self) -> Option<&str> {
        match &self.body {
            ContentsBody::Text(text) => Some(text),
            ContentsBody::Bytes(_) => None,
        }
    }

    /// Returns the bytes. For text contents, these are the UTF-8 bytes of the text.
    pub fn as_bytes(&self) -> &[u8] {
        match &self.body {
            ContentsBody::Text(text) => text.as_bytes(),
            ContentsBody::Bytes(bytes) => bytes,
        }
    }

    /// Returns the media type (MIME type) of these contents, if it is set.
    pub fn mime_type(&self) -> Option<&str> {
        self.mime_type.as_deref()
    }

    /// Returns the URI of these contents, if it is set.
    pub fn uri(&self) -> Option<&str> {
        self.uri.as_deref()
    }
}

/// The type-erased result of a resource.
pub type ResourceOutput = Vec<ResourceContents>;

/// Returns the contents to record in a span: text in full, but bytes only as their length.
pub fn resource_for_span(contents: &[ResourceContents]) -> Value {
    let part = |content: &ResourceContents| match &content.body {
        ContentsBody::Text(text) => json!({ "text": text }),
        ContentsBody::Bytes(bytes) => json!({ "text": format!("[{} bytes]", bytes.len()) }),
    };
    json!({ "content": contents.iter().map(part).collect::<Vec<_>>() })
}

/// A type that a resource can return, directly or in a `Result` (or an alias of it).
///
/// ```
/// use genkit::{Result, resource};
/// use serde_json::{Map, Value, json};
///
/// /// The manual.
/// #[resource("doc://manual", mime_type = "text/markdown")]
/// async fn manual() -> &'static str {
///     "# Manual"
/// }
///
/// /// The settings, as `application/json`.
/// #[resource("doc://settings")]
/// async fn settings() -> Result<Value> {
///     Ok(json!({"theme": "dark"}))
/// }
/// # assert_eq!(genkit::resources![manual, settings].len(), 2);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned from a resource",
    label = "not the content of a resource",
    note = "return `String`, `Vec<u8>`, `serde_json::Value`, `ResourceContents` or `Vec<ResourceContents>`; `ResourceContents::json(&value)` takes anything that serializes"
)]
pub trait IntoContents {
    #[doc(hidden)]
    fn into_contents(self) -> Vec<ResourceContents>;
}

macro_rules! into_contents {
    ($($returned:ty: |$value:ident| $contents:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl IntoContents for $returned {
            fn into_contents(self) -> Vec<ResourceContents> {
                let $value = self;
                $contents
            }
        }
    )*};
}

into_contents! {
    ResourceContents: |contents| vec![contents];
    Vec<ResourceContents>: |contents| contents;
    String: |text| vec![ResourceContents::text(text)];
    &str: |text| vec![ResourceContents::text(text)];
    Vec<u8>: |bytes| vec![ResourceContents::bytes(bytes)];
    Value: |value| vec![ResourceContents::text(value.to_string()).with_mime_type("application/json")];
}
