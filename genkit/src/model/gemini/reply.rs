//! The reply of `generateContent`, and its parts as ours.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::contents::{CUSTOM, UNKNOWN};
use super::error_reply::ErrorBody;
use crate::message::{Media, Message, Part, Role, ToolRequest};
use crate::model::signature::{self, GEMINI};
use crate::model::{FinishReason, Usage};
use crate::names::Names;

/// An answer, or one piece of it in a stream. What is only passed on stays raw.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct GenerateContentResponse<'a> {
    #[serde(borrow, deserialize_with = "few")]
    pub(super) candidates: Option<Vec<Candidate<'a>>>,
    #[serde(borrow)]
    pub(super) prompt_feedback: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) usage_metadata: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) model_version: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) response_id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) create_time: Option<&'a RawValue>,
    pub(super) error: Option<Box<ErrorBody>>,
    #[serde(flatten)]
    pub(super) rest: OtherFields,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Candidate<'a> {
    #[serde(borrow)]
    pub(super) index: Option<&'a RawValue>,
    pub(super) content: Option<CandidateContent>,
    pub(super) finish_reason: Option<String>,
    pub(super) finish_message: Option<String>,
    #[serde(borrow)]
    pub(super) safety_ratings: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) grounding_metadata: Option<&'a RawValue>,
    /// Citations, probabilities, and what is new.
    #[serde(flatten)]
    pub(super) rest: OtherFields,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct CandidateContent {
    #[serde(deserialize_with = "few")]
    pub(super) parts: Option<Vec<ResponsePart>>,
}

/// A list that mostly has one element, without room for the next ones: these are large.
fn few<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Option<Vec<T>>, D::Error> {
    struct Few<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for Few<T> {
        type Value = Option<Vec<T>>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a sequence")
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Self::Value, A::Error> {
            let mut few = Vec::new();
            while let Some(next) = all.next_element()? {
                if few.is_empty() {
                    few.reserve_exact(1);
                }
                few.push(next);
            }
            Ok(Some(few))
        }
    }
    from.deserialize_any(Few(PhantomData))
}

/// Fields that are known by no name here, in the place of a pointer: mostly there are none.
#[derive(Default)]
pub(super) struct OtherFields(Option<Box<Map<String, Value>>>);

impl OtherFields {
    fn into_map(self) -> Map<String, Value> {
        self.0.map(|all| *all).unwrap_or_default()
    }

    pub(super) fn move_to(self, map: &mut Map<String, Value>) {
        map.extend(self.0.into_iter().flat_map(|all| *all));
    }
}

impl<'de> Deserialize<'de> for OtherFields {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Others;
        impl<'de> Visitor<'de> for Others {
            type Value = OtherFields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut all: A) -> Result<OtherFields, A::Error> {
                let mut others: Option<Box<Map<String, Value>>> = None;
                while let Some((key, value)) = all.next_entry()? {
                    others.get_or_insert_default().insert(key, value);
                }
                Ok(OtherFields(others))
            }
        }
        from.deserialize_map(Others)
    }
}

/// One part. Each field that is there becomes a part of ours. What is rare is boxed: a stream moves many.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ResponsePart {
    text: Option<String>,
    thought: Option<bool>,
    thought_signature: Option<Value>,
    inline_data: Option<Box<Blob>>,
    file_data: Option<Box<FileData>>,
    pub(super) function_call: Option<Box<FunctionCall>>,
    /// What ran at Google, and kinds that are not known yet.
    #[serde(flatten)]
    rest: OtherFields,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Blob {
    mime_type: Option<String>,
    data: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct FileData {
    mime_type: Option<String>,
    file_uri: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct FunctionCall {
    pub(super) name: Option<String>,
    pub(super) args: Option<Value>,
    pub(super) id: Option<String>,
    /// Arguments that come in pieces, which is the way of Vertex AI.
    pub(super) partial_args: Option<Vec<PartialArg>>,
    pub(super) will_continue: Option<bool>,
}

/// A piece of the arguments.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct PartialArg {
    /// As in `$.a.b[0]`.
    pub(super) json_path: String,
    pub(super) string_value: Option<String>,
    pub(super) number_value: Option<Value>,
    pub(super) bool_value: Option<Value>,
    pub(super) will_continue: Option<bool>,
}

impl ResponsePart {
    /// Text and nothing beside it, as most pieces of a stream are.
    fn is_plain_text(&self) -> bool {
        self.text.is_some()
            && self.thought != Some(true)
            && self.thought_signature.is_none()
            && self.inline_data.is_none()
            && self.file_data.is_none()
            && self.function_call.is_none()
            && self.rest.0.is_none()
    }

    /// Our parts; the signature and what else stands beside them goes with the first.
    pub(super) fn into_parts(self, names: &Names<'_>, push: &mut dyn FnMut(Part)) {
        if self.is_plain_text() {
            return push(Part::text(self.text.unwrap_or_default()));
        }
        let mut beside = Map::new();
        if let Some(signature) = self.thought_signature.filter(|value| !value.is_null()) {
            signature::sign(&mut beside, signature, GEMINI);
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
            // A draft is not the answer, and goes back as it came.
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
        if let Some(text) = self.text {
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
            let media =
                Media { url: file.file_uri.unwrap_or_default(), content_type: file.mime_type };
            add(Part::Media { media, metadata: Map::new() });
        }
        for (key, field) in CUSTOM {
            if let Some(value) = rest.shift_remove(field) {
                add(Part::custom(Map::from_iter([(key.to_owned(), value)])));
            }
        }
        if !rest.is_empty() {
            add(Part::custom(Map::from_iter([(UNKNOWN.to_owned(), Value::Object(rest))])));
        }
        // A signature without anything else must come back as well.
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

/// Why the model stopped.
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

/// What the call used; tokens that Google's own tools read are counted apart.
pub(super) fn usage(counts: &Map<String, Value>) -> Usage {
    let count = |key: &str| counts.get(key).and_then(Value::as_u64);
    let mut usage = Usage {
        input_tokens: count("promptTokenCount"),
        output_tokens: count("candidatesTokenCount"),
        total_tokens: count("totalTokenCount"),
        thoughts_tokens: count("thoughtsTokenCount"),
        cached_content_tokens: count("cachedContentTokenCount"),
        ..Usage::default()
    };
    if let Some(tokens) = count("toolUsePromptTokenCount") {
        usage.custom.insert("toolUsePromptTokens".to_owned(), tokens.into());
    }
    usage
}

/// The message of a model.
pub(super) fn message(content: Vec<Part>) -> Message {
    Message::new(Role::Model, content)
}
