//! The response of `generateContent`, and the conversion of its parts.

mod json_cursor;
mod read;

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::contents::{CUSTOM, UNKNOWN};
use super::error_reply::ErrorBody;
use genkit_core::internal::names::Names;
use genkit_core::{FinishReason, Usage};
use genkit_core::{Media, Message, Part, Role, ToolRequest};
use genkit_model::internal::signature;
use genkit_model::internal::signature::GEMINI;

pub(super) use read::{replies, single};

/// A response, or one piece of a streamed response, borrowed from its JSON text.
#[derive(Default)]
pub(super) struct GenerateContentResponse<'a> {
    pub(super) candidates: Few<Candidate<'a>>,
    pub(super) prompt_feedback: Option<&'a str>,
    pub(super) usage_metadata: Option<&'a str>,
    pub(super) model_version: Option<&'a str>,
    pub(super) response_id: Option<&'a str>,
    pub(super) create_time: Option<&'a str>,
    pub(super) error: Option<Box<ErrorBody>>,
    pub(super) rest: OtherFields,
}

#[derive(Default)]
pub(super) struct Candidate<'a> {
    pub(super) index: Option<&'a str>,
    pub(super) parts: Few<ResponsePart<'a>>,
    pub(super) finish_reason: Option<Cow<'a, str>>,
    pub(super) finish_message: Option<Cow<'a, str>>,
    pub(super) safety_ratings: Option<&'a str>,
    pub(super) grounding_metadata: Option<&'a str>,
    /// Citations, probabilities and unknown fields.
    pub(super) rest: OtherFields,
}

/// A list that usually has one element, which is stored without an allocation.
pub(super) struct Few<T> {
    first: Option<T>,
    more: Vec<T>,
}

impl<T: Default> Few<T> {
    /// Adds an element to be filled in place, because it is large to move.
    pub(super) fn another(&mut self) -> &mut T {
        if self.first.is_none() {
            return self.first.insert(T::default());
        }
        let at = self.more.len();
        self.more.push(T::default());
        &mut self.more[at]
    }
}

impl<T> Few<T> {
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.first.iter_mut().chain(&mut self.more)
    }
}

impl<T> Default for Few<T> {
    fn default() -> Self {
        Self { first: None, more: Vec::new() }
    }
}

/// Unknown fields. Usually there are none, so they take only the space of a pointer.
#[derive(Default)]
pub(super) struct OtherFields(Option<Box<Map<String, Value>>>);

impl OtherFields {
    pub(super) fn insert(&mut self, key: &str, value: Value) {
        self.0.get_or_insert_default().insert(key.to_owned(), value);
    }

    pub(super) fn take(&mut self) -> Self {
        Self(self.0.take())
    }

    fn into_map(self) -> Map<String, Value> {
        self.0.map(|all| *all).unwrap_or_default()
    }

    pub(super) fn move_to(self, map: &mut Map<String, Value>) {
        map.extend(self.0.into_iter().flat_map(|all| *all));
    }
}

/// One part. Each field that is present is converted to a separate part. Rare fields are boxed,
/// because a stream moves many parts.
#[derive(Default)]
pub(super) struct ResponsePart<'a> {
    pub(super) text: Option<Cow<'a, str>>,
    pub(super) thought: Option<bool>,
    pub(super) thought_signature: Option<Box<Value>>,
    pub(super) inline_data: Option<Box<Blob>>,
    pub(super) file_data: Option<Box<FileData>>,
    pub(super) function_call: Option<Box<FunctionCall>>,
    /// Code executed by Google, and unknown kinds of parts.
    pub(super) rest: OtherFields,
}

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
            && self.rest.0.is_none();
        self.text.as_deref().filter(|_| is_alone)
    }

    /// Converts the part. Its signature and other metadata are attached to the first resulting
    /// part.
    pub(super) fn into_parts(self, names: &Names<'_>, push: &mut dyn FnMut(Part)) {
        if self.plain_text().is_some() {
            return push(Part::text(self.text.unwrap_or_default().into_owned()));
        }
        let mut beside = Map::new();
        if let Some(signature) = self.thought_signature {
            signature::sign(&mut beside, *signature, GEMINI);
        }
        let mut rest = self.rest.into_map();
        for key in ["videoMetadata", "mediaResolution"] {
            if let Some(value) = rest.shift_remove(key) {
                beside.insert(key.to_owned(), value);
            }
        }
        let mut add = |mut part: Part| {
            *part.metadata_mut() = std::mem::take(&mut beside);
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
            draft.append(&mut beside);
            draft.append(&mut rest);
            push(Part::custom(Map::from_iter([(UNKNOWN.to_owned(), Value::Object(draft))])));
            return;
        }
        if let Some(text) = self.text.map(Cow::into_owned) {
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
        if !beside.is_empty() {
            let mut part = Part::text("");
            *part.metadata_mut() = beside;
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
        let ours = names.ours(&name);
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

/// Converts the token counts; tokens that Google's own tools read are counted separately.
pub(super) fn usage(counts: &Map<String, Value>) -> Usage {
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

/// Creates a message of the model.
pub(super) fn message(content: Vec<Part>) -> Message {
    Message::new(Role::Model, content)
}
