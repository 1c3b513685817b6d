//! Parts of a request, borrowing from the messages.

use std::borrow::Cow;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use genkit_core::{Media, Part, ResourcePart};
use genkit_model::internal::arguments::ArgumentsObject;
use genkit_model::internal::data_url::DataUrl;
use genkit_model::internal::signature;
use genkit_model::internal::signature::GEMINI;

/// The metadata keys of a part that are fields of Gemini's part.
const PART_FIELDS: [&str; 2] = ["videoMetadata", "mediaResolution"];

/// One part: its kind, signature and metadata.
pub(super) struct RequestPart<'a> {
    pub(super) kind: Kind<'a>,
    pub(super) signature: Option<&'a str>,
    pub(super) metadata: Option<&'a Map<String, Value>>,
}

pub(super) enum Kind<'a> {
    Text(Cow<'a, str>),
    Thought(&'a str),
    Inline(InlineData<'a>),
    File(FileReference<'a>),
    Call(FunctionCallPart<'a>),
    Answer(FunctionResponsePart<'a>),
    Custom(&'static str, &'a Value),
    Unknown(&'a Map<String, Value>),
}

#[derive(Serialize)]
pub(super) struct FunctionCallPart<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<&'a str>,
    pub(super) name: Cow<'a, str>,
    pub(super) args: ArgumentsObject<'a>,
}

#[derive(Serialize)]
pub(super) struct FunctionResponsePart<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<&'a str>,
    pub(super) name: Cow<'a, str>,
    pub(super) response: FunctionOutput<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) parts: Vec<RequestPart<'a>>,
}

/// The output of a function, sent as `{"output": X}`. An object of the form `{"error": ".."}` is sent unchanged.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum FunctionOutput<'a> {
    Error(&'a Value),
    Output { output: &'a Value },
}

impl<'a> RequestPart<'a> {
    /// Creates a part of this kind with the signature and metadata of `part`.
    pub(super) fn from_part(part: &'a Part, kind: Kind<'a>) -> Self {
        let signature = signature::find_signature(part, GEMINI).and_then(Value::as_str);
        Self { kind, signature, metadata: Some(part.metadata()) }
    }
}

impl Serialize for RequestPart<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match &self.kind {
            Kind::Text(text) => map.serialize_entry("text", text)?,
            Kind::Thought(text) => {
                map.serialize_entry("text", text)?;
                map.serialize_entry("thought", &true)?;
            }
            Kind::Inline(blob) => map.serialize_entry("inlineData", blob)?,
            Kind::File(file) => map.serialize_entry("fileData", file)?,
            Kind::Call(call) => map.serialize_entry("functionCall", call)?,
            Kind::Answer(answer) => map.serialize_entry("functionResponse", answer)?,
            Kind::Custom(field, value) => map.serialize_entry(field, value)?,
            Kind::Unknown(fields) => {
                for (field, value) in *fields {
                    map.serialize_entry(field, value)?;
                }
            }
        }
        if let Some(signature) = self.signature {
            map.serialize_entry("thoughtSignature", signature)?;
        }
        for (key, value) in self.metadata.into_iter().flatten() {
            if PART_FIELDS.contains(&key.as_str()) && !value.is_null() {
                map.serialize_entry(key, value)?;
            }
        }
        map.end()
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct InlineData<'a> {
    pub(super) mime_type: Cow<'a, str>,
    pub(super) data: Cow<'a, str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FileReference<'a> {
    pub(super) file_uri: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mime_type: Option<&'a str>,
}

/// Converts a resource to its content, or to its URI if it has no content.
pub(super) fn resource_kind(resource: &ResourcePart) -> Kind<'_> {
    let mime_type = resource.mime_type.as_deref();
    match (&resource.text, &resource.blob) {
        (Some(text), _) => Kind::Text(text.into()),
        (None, Some(blob)) => Kind::Inline(InlineData {
            mime_type: mime_type.unwrap_or("application/octet-stream").into(),
            data: blob.into(),
        }),
        (None, None) => Kind::Text(resource.uri.as_str().into()),
    }
}

/// Converts media from a `data:` URL or another URL.
pub(super) fn media_kind(media: &Media) -> Result<Kind<'_>, &'static str> {
    let content_type = media.content_type.as_deref().filter(|kind| !kind.is_empty());
    let Some(inline) = DataUrl::from_url(&media.url) else {
        return Ok(Kind::File(FileReference { file_uri: &media.url, mime_type: content_type }));
    };
    let data = inline.to_base64().ok_or("a `data:` URL must contain a comma")?;
    let own_type = inline.head.strip_suffix(";base64").unwrap_or(inline.head);
    let own_type = if own_type.is_empty() { "text/plain" } else { own_type };
    Ok(Kind::Inline(InlineData { mime_type: content_type.unwrap_or(own_type).into(), data }))
}
