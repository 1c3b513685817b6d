//! The response of `generateContent`, and the conversion of its parts.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::error::ErrorBody;
use crate::metadata::{CUSTOM, UNKNOWN};
use genkit_core::internal::names::Names;
use genkit_core::{FinishReason, Usage};
use genkit_core::{Media, Message, Part, Role, ToolRequest};
use genkit_model::internal::signature;
use genkit_model::internal::signature::GEMINI;

/// A response, or one piece of a streamed response, borrowed from its JSON text.
#[derive(Default)]
pub(super) struct GenerateContentResponse<'a> {
    pub(super) candidates: Vec<Candidate<'a>>,
    pub(super) prompt_feedback: Option<&'a RawValue>,
    pub(super) usage_metadata: Option<&'a RawValue>,
    pub(super) model_version: Option<&'a RawValue>,
    pub(super) response_id: Option<&'a RawValue>,
    pub(super) create_time: Option<&'a RawValue>,
    pub(super) error: Option<Box<ErrorBody>>,
    pub(super) rest: Map<String, Value>,
}

#[derive(Default)]
pub(super) struct Candidate<'a> {
    pub(super) index: Option<&'a RawValue>,
    pub(super) content: ResponseContent<'a>,
    pub(super) finish_reason: Option<String>,
    pub(super) finish_message: Option<String>,
    pub(super) safety_ratings: Option<&'a RawValue>,
    pub(super) grounding_metadata: Option<&'a RawValue>,
    /// Citations, probabilities and unknown fields.
    pub(super) rest: Map<String, Value>,
}

#[derive(Default)]
pub(super) struct ResponseContent<'a> {
    pub(super) parts: Vec<ResponsePart<'a>>,
}

/// One part. Each field that is present is converted to a separate part. Rare fields are boxed,
/// because a stream moves many parts.
#[derive(Default)]
pub(super) struct ResponsePart<'a> {
    pub(super) text: Option<Text<'a>>,
    pub(super) thought: Option<bool>,
    pub(super) thought_signature: Option<Box<Value>>,
    pub(super) inline_data: Option<Box<Blob>>,
    pub(super) file_data: Option<Box<FileData>>,
    pub(super) function_call: Option<Box<FunctionCall>>,
    /// Code executed by Google, and unknown kinds of parts.
    pub(super) rest: Map<String, Value>,
}

/// A string, borrowed from the JSON unless it contains escapes.
#[derive(Deserialize)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Blob {
    mime_type: Option<String>,
    data: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct FileData {
    mime_type: Option<String>,
    file_uri: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct FunctionCall {
    pub(super) name: Option<String>,
    pub(super) args: Option<Value>,
    pub(super) id: Option<String>,
    /// Arguments that arrive in pieces, as Vertex AI sends them.
    pub(super) partial_args: Option<Vec<PartialArg>>,
    pub(super) will_continue: Option<bool>,
}

/// A piece of the arguments.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct PartialArg {
    /// A path such as `$.a.b[0]`.
    pub(super) json_path: String,
    pub(super) string_value: Option<String>,
    pub(super) number_value: Option<Value>,
    pub(super) bool_value: Option<Value>,
    pub(super) will_continue: Option<bool>,
}

impl ResponsePart<'_> {
    /// Returns the text of a part that has only text, as most parts of a stream do.
    pub(super) fn plain_text(&self) -> Option<&str> {
        let is_alone = self.thought != Some(true)
            && self.thought_signature.is_none()
            && self.inline_data.is_none()
            && self.file_data.is_none()
            && self.function_call.is_none()
            && self.rest.is_empty();
        self.text.as_ref().map(|text| &*text.0).filter(|_| is_alone)
    }

    /// Converts the part. Its signature and other metadata are attached to the first resulting
    /// part.
    pub(super) fn into_parts(self, names: &Names<'_>, push: &mut dyn FnMut(Part)) {
        if self.plain_text().is_some() {
            return push(Part::text(self.text.map(|text| text.0.into_owned()).unwrap_or_default()));
        }
        let mut siblings = Map::new();
        if let Some(signature) = self.thought_signature {
            signature::add_signature(&mut siblings, *signature, GEMINI);
        }
        let mut rest = self.rest;
        for key in ["videoMetadata", "mediaResolution"] {
            if let Some(value) = rest.shift_remove(key) {
                siblings.insert(key.to_owned(), value);
            }
        }
        let mut add = |mut part: Part| {
            *part.metadata_mut() = std::mem::take(&mut siblings);
            push(part);
        };
        let thought = self.thought == Some(true);
        if thought && self.text.is_none() && self.inline_data.is_some() {
            // A draft is not part of the response, and must be sent back unchanged.
            let blob = self.inline_data.unwrap_or_default();
            let mut draft = Map::from_iter([
                ("inlineData".to_owned(), json!({ "mimeType": blob.mime_type, "data": blob.data })),
                ("thought".to_owned(), Value::Bool(true)),
            ]);
            draft.append(&mut siblings);
            draft.append(&mut rest);
            push(Part::custom(Map::from_iter([(UNKNOWN.to_owned(), Value::Object(draft))])));
            return;
        }
        if let Some(text) = self.text.map(|text| text.0.into_owned()) {
            add(if thought { Part::reasoning(text) } else { Part::text(text) });
        } else if thought {
            add(Part::reasoning(""));
        }
        if let Some(call) = self.function_call {
            add(call.into_part(names));
        }
        if let Some(blob) = self.inline_data {
            let mime_type = blob.mime_type.unwrap_or_else(|| "application/octet-stream".to_owned());
            let data = blob.data.unwrap_or_default();
            add(Part::media(format!("data:{mime_type};base64,{data}"), mime_type));
        }
        if let Some(file) = self.file_data {
            let media = Media::new(file.file_uri.unwrap_or_default(), file.mime_type);
            add(Part::from_media(media));
        }
        for (key, field) in CUSTOM {
            if let Some(value) = rest.shift_remove(field) {
                add(Part::custom(Map::from_iter([(key.to_owned(), value)])));
            }
        }
        if !rest.is_empty() {
            add(Part::custom(Map::from_iter([(UNKNOWN.to_owned(), Value::Object(rest))])));
        }
        // A signature without other content must be sent back too.
        if !siblings.is_empty() {
            let mut part = Part::text("");
            *part.metadata_mut() = siblings;
            push(part);
        }
    }
}

impl FunctionCall {
    pub(super) fn is_piece(&self) -> bool {
        self.partial_args.is_some() || self.will_continue == Some(true)
    }

    pub(super) fn into_part(self, names: &Names<'_>) -> Part {
        let mut name = self.name.unwrap_or_default();
        let ours = names.own_name(&name);
        if ours != name {
            name = ours.to_owned();
        }
        let args = self.args.filter(|args| !args.is_null());
        let mut request = ToolRequest::new(name, args.unwrap_or_else(|| Map::new().into()));
        request.id = self.id.filter(|id| !id.is_empty());
        Part::tool_request(request)
    }
}

/// Converts the reason why the model stopped.
pub(super) fn finish_reason(reason: &str) -> FinishReason {
    match reason {
        "STOP" => FinishReason::Stop,
        "MAX_TOKENS" => FinishReason::Length,
        "SAFETY"
        | "RECITATION"
        | "LANGUAGE"
        | "BLOCKLIST"
        | "PROHIBITED_CONTENT"
        | "SPII"
        | "IMAGE_SAFETY"
        | "IMAGE_PROHIBITED_CONTENT"
        | "IMAGE_RECITATION" => FinishReason::Blocked,
        "MALFORMED_FUNCTION_CALL"
        | "UNEXPECTED_TOOL_CALL"
        | "MISSING_THOUGHT_SIGNATURE"
        | "TOO_MANY_TOOL_CALLS"
        | "NO_IMAGE"
        | "IMAGE_OTHER"
        | "OTHER" => FinishReason::Other,
        _ => FinishReason::Unknown,
    }
}

/// Converts the token counts. Input tokens of Google's own tools are counted separately.
pub(super) fn read_usage(counts: &Map<String, Value>) -> Usage {
    let mut usage = Usage::default();
    for (key, count) in counts {
        let tokens = count.as_u64();
        match key.as_str() {
            "promptTokenCount" => usage.input_tokens = tokens,
            "candidatesTokenCount" => usage.output_tokens = tokens,
            "totalTokenCount" => usage.total_tokens = tokens,
            "thoughtsTokenCount" => usage.thoughts_tokens = tokens,
            "cachedContentTokenCount" => usage.cached_content_tokens = tokens,
            "toolUsePromptTokenCount" => {
                let counted =
                    tokens.map(|tokens| ("toolUsePromptTokens".to_owned(), tokens.into()));
                usage.custom.extend(counted);
            }
            _ => {}
        }
    }
    usage
}

/// Creates a message from the model.
pub(super) fn model_message(content: Vec<Part>) -> Message {
    Message::new(Role::Model, content)
}
