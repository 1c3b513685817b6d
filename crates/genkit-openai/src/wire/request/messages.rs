//! Content parts of chat completions: text, images, audio and files. The Responses API has the same
//! parts under other names.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

use crate::wire::error::Error as E;
use genkit_core::Result;
use genkit_core::{Media, Message, Part, ResourcePart, ToolResponse};
use genkit_model::internal::data_url::DataUrl;

/// The content of a message: plain text or a list.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum MessageContent<'a> {
    Text(Cow<'a, str>),
    List(Vec<ContentPart<'a>>),
}

impl<'a> MessageContent<'a> {
    /// Returns plain text if there is only text, because some servers support nothing else, and a
    /// list otherwise.
    pub(crate) fn from_parts(mut parts: Vec<ContentPart<'a>>) -> Self {
        match parts.pop() {
            None => Self::Text(Cow::Borrowed("")),
            Some(ContentPart::Text { text }) if parts.is_empty() => Self::Text(text),
            Some(last) => {
                parts.push(last);
                Self::List(parts)
            }
        }
    }
}

/// An element of a list.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum ContentPart<'a> {
    Text { text: Cow<'a, str> },
    ImageUrl { image_url: ImageUrlParam<'a> },
    VideoUrl { video_url: ImageUrlParam<'a> },
    InputAudio { input_audio: InputAudioParam<'a> },
    File { file: FileParam<'a> },
}

#[derive(Serialize)]
pub(crate) struct ImageUrlParam<'a> {
    pub(crate) url: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) detail: Option<&'a str>,
}

#[derive(Serialize)]
pub(crate) struct InputAudioParam<'a> {
    pub(crate) data: &'a str,
    pub(crate) format: &'a str,
}

#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum FileParam<'a> {
    /// A previously uploaded file.
    Uploaded {
        file_id: &'a str,
    },
    Inline {
        filename: Cow<'a, str>,
        file_data: Cow<'a, str>,
    },
}

/// Converts a part of a user message. Returns `None` if a user message cannot contain it.
pub(crate) fn content_part<'a>(
    part: &'a Part,
    detail: Option<&'a str>,
) -> Result<Option<ContentPart<'a>>> {
    Ok(match part {
        Part::Text { text, .. } => Some(ContentPart::Text { text: Cow::Borrowed(text) }),
        Part::Media { media, metadata, .. } => {
            let own = |key: &str| metadata.get(key).and_then(Value::as_str);
            Some(media_part(media, own("detail").or(detail), own("filename"))?)
        }
        Part::Resource { resource, .. } => Some(resource_part(resource)),
        Part::Data { data: Value::Null, .. } => None,
        Part::Data { data, .. } => Some(ContentPart::Text { text: Cow::Owned(data.to_string()) }),
        _ => None,
    })
}

fn media_part<'a>(
    media: &'a Media,
    detail: Option<&'a str>,
    filename: Option<&'a str>,
) -> Result<ContentPart<'a>> {
    let url = media.url.as_str();
    // A `data:` URL without a comma is treated like any other URL.
    let inline =
        DataUrl::from_url(url).and_then(|inline| Some((inline.media_type(), inline.data?)));
    let kind = media.content_type.as_deref().or(inline.map(|(kind, _)| kind)).unwrap_or("image/*");
    let (family, subtype) = kind.split_once('/').unwrap_or((kind, ""));
    match (family, inline) {
        ("audio", Some((_, data))) => Ok(ContentPart::InputAudio {
            input_audio: InputAudioParam { data, format: audio_format(subtype) },
        }),
        ("audio", None) => Err(E::AudioUrl.into()),
        _ if url.starts_with("file-") => {
            Ok(ContentPart::File { file: FileParam::Uploaded { file_id: url } })
        }
        ("image", _) => {
            Ok(ContentPart::ImageUrl { image_url: ImageUrlParam { url: url.into(), detail } })
        }
        ("video", _) => {
            Ok(ContentPart::VideoUrl { video_url: ImageUrlParam { url: url.into(), detail: None } })
        }
        _ => Ok(file_part(subtype, Cow::Borrowed(url), filename)),
    }
}

/// Converts a resource to its content, or to its URI if it has no content.
fn resource_part(resource: &ResourcePart) -> ContentPart<'_> {
    let ResourcePart { uri, mime_type, text, blob, .. } = resource;
    match (text, blob) {
        (Some(text), _) => ContentPart::Text { text: Cow::Borrowed(text) },
        (None, Some(blob)) => {
            let kind = mime_type.as_deref().unwrap_or("application/octet-stream");
            let url = Cow::Owned(format!("data:{kind};base64,{blob}"));
            match kind.split_once('/') {
                Some(("image", _)) => {
                    ContentPart::ImageUrl { image_url: ImageUrlParam { url, detail: None } }
                }
                _ => file_part(
                    kind.rsplit('/').next().unwrap_or_default(),
                    url,
                    uri.rsplit('/').next(),
                ),
            }
        }
        (None, None) => ContentPart::Text { text: Cow::Borrowed(uri) },
    }
}

fn file_part<'a>(subtype: &str, data: Cow<'a, str>, name: Option<&'a str>) -> ContentPart<'a> {
    let filename = match name.filter(|name| !name.is_empty()) {
        Some(name) => Cow::Borrowed(name),
        None if subtype == "pdf" => Cow::Borrowed("file.pdf"),
        None if subtype == "plain" => Cow::Borrowed("file.txt"),
        None if subtype.chars().all(|c| c.is_ascii_alphanumeric()) && !subtype.is_empty() => {
            Cow::Owned(format!("file.{subtype}"))
        }
        None => Cow::Borrowed("file"),
    };
    ContentPart::File { file: FileParam::Inline { filename, file_data: data } }
}

/// Returns OpenAI's name of an audio format.
fn audio_format(subtype: &str) -> &str {
    match subtype {
        "wav" | "x-wav" | "wave" | "vnd.wave" => "wav",
        "mpeg" | "mp3" => "mp3",
        "mp4" | "x-m4a" => "m4a",
        other => other,
    }
}

/// Returns the output of a tool as one text, and the content that is not text.
pub(crate) fn tool_output<'a>(
    answer: &'a ToolResponse,
    detail: Option<&'a str>,
) -> Result<(Cow<'a, str>, Vec<ContentPart<'a>>)> {
    let mut output = match &answer.output {
        Value::String(text) => Cow::Borrowed(text.as_str()),
        Value::Null if !answer.content.is_empty() => Cow::Borrowed(""),
        output => Cow::Owned(output.to_string()),
    };
    let mut shown = Vec::new();
    for part in &answer.content {
        match content_part(part, detail)? {
            Some(ContentPart::Text { text }) if output.is_empty() => output = text,
            Some(ContentPart::Text { text }) => {
                let output = output.to_mut();
                output.push('\n');
                output.push_str(&text);
            }
            other => shown.extend(other),
        }
    }
    Ok((output, shown))
}

/// Returns the text of a message, with data as JSON.
pub(crate) fn message_text(message: &Message) -> Cow<'_, str> {
    join_texts(message.content.iter().filter_map(|part| match part {
        Part::Text { text, .. } => Some(Cow::Borrowed(text.as_str())),
        Part::Data { data, .. } if !data.is_null() => Some(Cow::Owned(data.to_string())),
        _ => None,
    }))
}

/// Joins strings. A single string stays borrowed.
pub(crate) fn join_texts<'a>(texts: impl Iterator<Item = Cow<'a, str>>) -> Cow<'a, str> {
    let mut all = Cow::Borrowed("");
    for text in texts.filter(|text| !text.is_empty()) {
        if all.is_empty() { all = text } else { all.to_mut().push_str(&text) }
    }
    all
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wire(part: &Part) -> Value {
        serde_json::to_value(content_part(part, None).unwrap()).unwrap()
    }

    #[test]
    fn media_goes_by_its_type() {
        assert_eq!(
            wire(&Part::media("https://a.b/c.png", "image/png").with_metadata("detail", "low")),
            json!({"type": "image_url", "image_url": {"url": "https://a.b/c.png", "detail": "low"}})
        );
        assert_eq!(
            wire(&Part::audio("audio/mpeg", [1])),
            json!({"type": "input_audio", "input_audio": {"data": "AQ==", "format": "mp3"}})
        );
        assert_eq!(
            wire(&Part::media("data:application/pdf;base64,AQ==", "application/pdf")),
            json!({"type": "file", "file":
                {"filename": "file.pdf", "file_data": "data:application/pdf;base64,AQ=="}})
        );
        assert_eq!(
            wire(&Part::media("file-7", "application/pdf")),
            json!({"type": "file", "file": {"file_id": "file-7"}})
        );
        assert!(content_part(&Part::media("https://a.b/c.mp3", "audio/mp3"), None).is_err());
    }

    #[test]
    fn resources_and_data_are_text_where_they_can() {
        assert_eq!(wire(&Part::resource_text("a://b", "text/plain", "hi"))["text"], "hi");
        assert_eq!(wire(&Part::resource_link("a://b"))["text"], "a://b");
        assert_eq!(
            wire(&Part::resource_bytes("a://b/c.png", "image/png", [1]))["type"],
            "image_url"
        );
        let zip = wire(&Part::resource_bytes("a://b/c.zip", "application/zip", [1]));
        assert_eq!(zip["file"]["filename"], "c.zip");
        assert_eq!(wire(&Part::data(json!({"n": 1})))["text"], r#"{"n":1}"#);
        assert_eq!(wire(&Part::data(Value::Null)), Value::Null);
    }
}
