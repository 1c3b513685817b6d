//! Conversion of images, audio and files to Gemini's parts.

use super::request_part::{FileReference, InlineData, Kind};
use genkit_core::{Media, ResourcePart};
use genkit_model::internal::data_url::DataUrl;

/// Converts a resource to its content, or to its URI if it has no content.
pub(super) fn resource(resource: &ResourcePart) -> Kind<'_> {
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
pub(super) fn media(media: &Media) -> Result<Kind<'_>, &'static str> {
    let content_type = media.content_type.as_deref().filter(|kind| !kind.is_empty());
    let Some(inline) = DataUrl::of(&media.url) else {
        return Ok(Kind::File(FileReference { file_uri: &media.url, mime_type: content_type }));
    };
    let data = inline.base64().ok_or("a `data:` URL must contain a comma")?;
    let own_type = inline.head.strip_suffix(";base64").unwrap_or(inline.head);
    let own_type = if own_type.is_empty() { "text/plain" } else { own_type };
    Ok(Kind::Inline(InlineData { mime_type: content_type.unwrap_or(own_type).into(), data }))
}
