//! Images, audio and files as Gemini's parts.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use crate::message::{Media, ResourcePart};

/// Where the content is.
pub(super) enum Place<'a> {
    Inline(Blob<'a>),
    File(File<'a>),
    Text(&'a str),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Blob<'a> {
    mime_type: Cow<'a, str>,
    data: Cow<'a, str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct File<'a> {
    file_uri: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<&'a str>,
}

/// A resource: its content, or its address where that is all there is.
pub(super) fn resource(resource: &ResourcePart) -> Place<'_> {
    let mime_type = resource.mime_type.as_deref();
    match (&resource.text, &resource.blob) {
        (Some(text), _) => Place::Text(text),
        (None, Some(blob)) => Place::Inline(Blob {
            mime_type: mime_type.unwrap_or("application/octet-stream").into(),
            data: blob.into(),
        }),
        (None, None) => Place::Text(&resource.uri),
    }
}

/// Media by a `data:` URL or by its address.
pub(super) fn media(media: &Media) -> Result<Place<'_>, String> {
    let content_type = media.content_type.as_deref().filter(|kind| !kind.is_empty());
    let Some(rest) = media.url.strip_prefix("data:") else {
        return Ok(Place::File(File { file_uri: &media.url, mime_type: content_type }));
    };
    let (head, data) = rest.split_once(',').ok_or("a data: URL without a comma")?;
    let (own_type, data) = match head.strip_suffix(";base64") {
        Some(own_type) => (own_type, Cow::Borrowed(data)),
        None => (head, Cow::Owned(STANDARD.encode(percent_decoded(data)))),
    };
    let own_type = if own_type.is_empty() { "text/plain" } else { own_type };
    Ok(Place::Inline(Blob { mime_type: content_type.unwrap_or(own_type).into(), data }))
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let hex = after.get(..2).and_then(|hex| str::from_utf8(hex).ok());
        let code = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match code.filter(|_| *first == b'%') {
            Some(code) => {
                bytes.push(code);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    bytes
}
