//! Items of the input, borrowing from the messages.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::responses::error::Error as E;
use crate::wire::request::messages::{ContentPart, FileParam, InputAudioParam, content_part};
use crate::wire::request::tools::arguments_text;
use genkit_core::Part;
use genkit_core::Result;

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum InputItem<'a> {
    Message(MessageItem<'a>),
    Reasoning(ReasoningItem<'a>),
    Call(CallItem<'a>),
    Output(OutputItem<'a>),
    /// An item of the API, unchanged.
    Kept(&'a Map<String, Value>),
}

#[derive(Serialize)]
pub(super) struct MessageItem<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) r#type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<&'a str>,
    pub(super) role: &'static str,
    pub(super) content: ItemContent<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) phase: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum ItemContent<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<InputPart<'a>>),
}

#[derive(Serialize)]
pub(super) struct ReasoningItem<'a> {
    pub(super) r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<&'a str>,
    pub(super) summary: Vec<InputPart<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) content: Vec<InputPart<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) encrypted_content: Option<&'a str>,
}

#[derive(Serialize)]
pub(super) struct CallItem<'a> {
    pub(super) r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<&'a str>,
    pub(super) call_id: Cow<'a, str>,
    pub(super) name: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) namespace: Option<&'a str>,
    #[serde(serialize_with = "arguments_text")]
    pub(super) arguments: &'a Value,
}

#[derive(Serialize)]
pub(super) struct OutputItem<'a> {
    pub(super) r#type: &'static str,
    pub(super) call_id: Cow<'a, str>,
    pub(super) output: ItemContent<'a>,
}

/// A block of a message, of a tool's output, or of reasoning.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum InputPart<'a> {
    InputText {
        text: Cow<'a, str>,
    },
    OutputText {
        text: Cow<'a, str>,
        annotations: [(); 0],
    },
    SummaryText {
        text: &'a str,
    },
    ReasoningText {
        text: &'a str,
    },
    InputImage {
        #[serde(skip_serializing_if = "Option::is_none")]
        image_url: Option<Cow<'a, str>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        file_id: Option<&'a str>,
        detail: &'a str,
    },
    InputAudio {
        input_audio: InputAudioParam<'a>,
    },
    InputFile {
        #[serde(skip_serializing_if = "Option::is_none")]
        file_id: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        file_url: Option<Cow<'a, str>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        filename: Option<Cow<'a, str>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        file_data: Option<Cow<'a, str>>,
    },
}

/// Converts a part of a message to input. Returns `None` if the API has no equivalent.
pub(super) fn input_part<'a>(
    part: &'a Part,
    detail: Option<&'a str>,
) -> Result<Option<InputPart<'a>>> {
    if let Part::Media { media, metadata, .. } = part
        && media.url.starts_with("file-")
        && media.content_type.as_deref().is_some_and(|kind| kind.starts_with("image/"))
    {
        let own = metadata.get("detail").and_then(Value::as_str);
        let detail = own.or(detail).unwrap_or("auto");
        let file_id = Some(media.url.as_str());
        return Ok(Some(InputPart::InputImage { image_url: None, file_id, detail }));
    }
    content_part(part, detail)?.map(convert_content).transpose()
}

/// Converts a content part of chat completions to a content part of the Responses API.
pub(super) fn convert_content(part: ContentPart<'_>) -> Result<InputPart<'_>> {
    Ok(match part {
        ContentPart::Text { text } => InputPart::InputText { text },
        ContentPart::ImageUrl { image_url: image } => InputPart::InputImage {
            image_url: Some(image.url),
            file_id: None,
            detail: image.detail.unwrap_or("auto"),
        },
        ContentPart::InputAudio { input_audio } => InputPart::InputAudio { input_audio },
        ContentPart::VideoUrl { .. } => return Err(E::Video.into()),
        ContentPart::File { file } => match file {
            FileParam::Uploaded { file_id } => file_part(Some(file_id), None, None),
            FileParam::Inline { filename, file_data } if file_data.starts_with("data:") => {
                file_part(None, None, Some((filename, file_data)))
            }
            FileParam::Inline { file_data: url, .. } => file_part(None, Some(url), None),
        },
    })
}

fn file_part<'a>(
    file_id: Option<&'a str>,
    file_url: Option<Cow<'a, str>>,
    inline: Option<(Cow<'a, str>, Cow<'a, str>)>,
) -> InputPart<'a> {
    let (filename, file_data) = inline.unzip();
    InputPart::InputFile { file_id, file_url, filename, file_data }
}
