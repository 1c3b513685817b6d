//! Conversion of images, PDFs and text files to blocks.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use super::block::{BlockContent, FileSource};
use genkit_core::{Media, ResourcePart};
use genkit_model::internal::data_url::DataUrl;

/// The media types of images that the API supports.
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

const PDF: &str = "application/pdf";

/// The prefix of the ids of uploaded files.
const FILE_ID: &str = "file_";

const NO_SOUND: &str = "audio and video are not supported; send a transcript";
const NOT_THIS_IMAGE: &str = "this image format is not supported; use PNG, JPEG, GIF or WebP";
const NOT_THIS_FILE: &str = "this file format is not supported; send an image, a PDF or text";
const TEXT_BY_ADDRESS: &str = "text files cannot be sent by URL; send the content of the file";

/// Converts media from a `data:` URL, another URL, or the id of a file.
pub(super) fn media_block<'a>(
    media: &'a Media,
    metadata: &'a Map<String, Value>,
) -> Result<BlockContent<'a>, &'static str> {
    let url = media.url.as_str();
    let given = media.content_type.as_deref().filter(|kind| !kind.is_empty());
    let Some(data_url) = DataUrl::from_url(url) else {
        return by_address(url, given, metadata);
    };
    let data = data_url.to_base64().ok_or("a `data:` URL must contain a comma")?;
    let own = Some(data_url.media_type()).filter(|kind| !kind.is_empty()).unwrap_or("text/plain");
    inline_source(given.filter(|kind| !kind.ends_with("/*")).unwrap_or(own), data, metadata)
}

/// Converts a resource to its content, or to its URI if it has no content.
pub(super) fn resource_block<'a>(
    resource: &'a ResourcePart,
    metadata: &'a Map<String, Value>,
) -> Result<BlockContent<'a>, &'static str> {
    let text = |text: &'a str| BlockContent::Text { text: text.into(), citations: None };
    match (&resource.text, &resource.blob) {
        (Some(own), _) => Ok(text(own)),
        (None, Some(blob)) => {
            let kind = resource.mime_type.as_deref().unwrap_or("application/octet-stream");
            inline_source(kind, Cow::Borrowed(blob), metadata)
        }
        (None, None) => Ok(text(&resource.uri)),
    }
}

fn by_address<'a>(
    url: &'a str,
    kind: Option<&'a str>,
    metadata: &'a Map<String, Value>,
) -> Result<BlockContent<'a>, &'static str> {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    let is_pdf = path.get(path.len().saturating_sub(4)..);
    let is_pdf = is_pdf.is_some_and(|end| end.eq_ignore_ascii_case(".pdf"));
    let kind = kind.unwrap_or(if is_pdf { PDF } else { "image/*" });
    let source = if url.starts_with(FILE_ID) {
        FileSource::File { file_id: url }
    } else {
        FileSource::Url { url }
    };
    match media_family(kind) {
        "image" => Ok(BlockContent::Image { source }),
        "audio" | "video" => Err(NO_SOUND),
        _ if kind == PDF || matches!(source, FileSource::File { .. }) => {
            Ok(document_block(source, metadata))
        }
        _ if is_text(kind) => Err(TEXT_BY_ADDRESS),
        _ => Err(NOT_THIS_FILE),
    }
}

/// Converts data in base64.
fn inline_source<'a>(
    kind: &'a str,
    data: Cow<'a, str>,
    metadata: &'a Map<String, Value>,
) -> Result<BlockContent<'a>, &'static str> {
    // A common but incorrect media type.
    let kind = if kind == "image/jpg" { "image/jpeg" } else { kind };
    let bytes = |data| FileSource::Base64 { media_type: kind.into(), data };
    match media_family(kind) {
        "image" if IMAGES.contains(&kind) => Ok(BlockContent::Image { source: bytes(data) }),
        "image" => Err(NOT_THIS_IMAGE),
        "audio" | "video" => Err(NO_SOUND),
        _ if kind == PDF => Ok(document_block(bytes(data), metadata)),
        _ if is_text(kind) => {
            let bytes =
                STANDARD.decode(data.as_bytes()).map_err(|_| "the data is not valid base64")?;
            let text = String::from_utf8(bytes).map_err(|_| "the text is not valid UTF-8")?;
            Ok(document_block(
                FileSource::Text { media_type: "text/plain", data: text.into() },
                metadata,
            ))
        }
        _ => Err(NOT_THIS_FILE),
    }
}

fn document_block<'a>(
    source: FileSource<'a>,
    metadata: &'a Map<String, Value>,
) -> BlockContent<'a> {
    let own = |key: &str| metadata.get(key).filter(|value| !value.is_null());
    BlockContent::Document {
        source,
        title: own("title"),
        context: own("context"),
        citations: own("citations"),
    }
}

fn media_family(kind: &str) -> &str {
    kind.split('/').next().unwrap_or_default()
}

fn is_text(kind: &str) -> bool {
    media_family(kind) == "text"
        || matches!(kind, "application/json" | "application/xml" | "application/yaml")
        || kind.ends_with("+json")
        || kind.ends_with("+xml")
}
