//! The conversation in Ollama's format: text and images for each message.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::Error as E;
use genkit_core::ModelRequest;
use genkit_core::Result;
use genkit_core::internal::model::GENERATED_REF;
use genkit_core::internal::names::Names;
use genkit_core::{Media, Message, Part, ResourcePart, Role, ToolRequest, ToolResponse};
use genkit_model::internal::data_url::DataUrl;
use genkit_model::internal::documents;

const ONLY_IMAGES: &str = "Ollama supports no files other than images; send the text of the file";
const ONLY_BYTES: &str = "Ollama requires the bytes of an image instead of its URL; add the middleware \
                          `download_media()`, or send the bytes with `Part::image`";

/// An encoded message.
#[derive(Default, Serialize)]
pub(super) struct OllamaMessage<'a> {
    role: &'static str,
    content: Cow<'a, str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    thinking: Cow<'a, str>,
    /// The images in base64.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) images: Vec<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<OllamaCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
}

#[derive(Serialize)]
struct OllamaCall<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    function: OllamaFunctionCall<'a>,
}

#[derive(Serialize)]
struct OllamaFunctionCall<'a> {
    name: Cow<'a, str>,
    arguments: Cow<'a, Value>,
}

/// Encodes the messages of `request`. The messages before `from` are cached.
pub(super) fn encode_messages<'a>(
    request: &'a ModelRequest,
    names: &'a Names<'a>,
    from: usize,
) -> Result<Vec<OllamaMessage<'a>>> {
    let mut writer = OllamaMessages {
        names,
        messages: Vec::new(),
        shown: OllamaMessage::default(),
        generated_ids: Vec::new(),
    };
    let (asked, mut documents) = documents::missing(request).unzip();
    let asked = asked.flatten();
    let known = request.messages.iter().take(from).flat_map(|message| &message.content);
    known.for_each(|part| writer.note_call(part));
    for (at, message) in request.messages.iter().enumerate().skip(from) {
        // Without a user message, the documents are sent in a separate message.
        if asked.is_none() && message.role != Role::System {
            writer.write_documents(documents.take());
        }
        if message.role != Role::Tool {
            writer.end_round();
        }
        let wrong = |(part, reason)| E::Part { message: at + 1, part, reason };
        writer.write_message(message).map_err(wrong)?;
        if asked == Some(at)
            && let (Some(text), Some(last)) = (documents.take(), writer.messages.last_mut())
        {
            last.content.to_mut().push_str(&text);
        }
    }
    writer.end_round();
    writer.write_documents(documents);
    Ok(writer.messages)
}

struct OllamaMessages<'a> {
    names: &'a Names<'a>,
    messages: Vec<OllamaMessage<'a>>,
    /// Media in tool responses, which must be sent in a user message after the last response.
    shown: OllamaMessage<'a>,
    /// The ids of calls that the loop generated.
    generated_ids: Vec<&'a str>,
}

impl<'a> OllamaMessages<'a> {
    /// Encodes a message. An error contains the index of a part, and the reason why the part cannot be sent.
    fn write_message(&mut self, message: &'a Message) -> Result<(), (usize, &'static str)> {
        let role = match message.role {
            Role::System => "system",
            Role::User => "user",
            Role::Model => "assistant",
            // `Role::Tool`
            _ => "tool",
        };
        let mut param = OllamaMessage { role, ..OllamaMessage::default() };
        for (at, part) in message.content.iter().enumerate() {
            let wrong = |reason| (at + 1, reason);
            match part {
                Part::ToolRequest { tool_request, .. } => {
                    self.note_call(part);
                    self.call(tool_request, &mut param);
                }
                Part::ToolResponse { tool_response, .. } => {
                    self.write_answer(tool_response).map_err(wrong)?
                }
                Part::Reasoning { reasoning, .. } if message.role == Role::Model => {
                    join_text(&mut param.thinking, reasoning);
                }
                _ if message.role == Role::Tool => {
                    write_part(part, &mut self.shown).map_err(wrong)?
                }
                _ => write_part(part, &mut param).map_err(wrong)?,
            }
        }
        let says_nothing =
            param.content.is_empty() && param.images.is_empty() && param.tool_calls.is_empty();
        let is_done = match message.role {
            Role::User => !message.content.is_empty() && message.content.iter().all(is_answer),
            Role::System => false,
            // `Role::Model`, `Role::Tool`
            _ => true,
        };
        if !(says_nothing && is_done) {
            self.messages.push(param);
        }
        Ok(())
    }

    /// Records the id of a call if the loop generated it.
    fn note_call(&mut self, part: &'a Part) {
        if let Part::ToolRequest { tool_request: call, metadata, .. } = part
            && !call.partial
            && metadata.contains_key(GENERATED_REF)
        {
            self.generated_ids.extend(call.id.as_deref());
        }
    }

    fn call(&mut self, call: &'a ToolRequest, param: &mut OllamaMessage<'a>) {
        if call.partial {
            return;
        }
        let arguments = match &call.input {
            input @ Value::Object(_) => Cow::Borrowed(input),
            // The server rejects anything else, even if the model's own arguments were incomplete.
            _ => Cow::Owned(Value::Object(Map::new())),
        };
        let function = OllamaFunctionCall { name: self.names.sent_name(&call.name), arguments };
        param.tool_calls.push(OllamaCall { id: self.call_id(call.id.as_ref()), function });
    }

    /// Returns the id of a call, unless the loop generated it.
    fn call_id(&self, id: Option<&'a String>) -> Option<&'a str> {
        id.map(String::as_str).filter(|id| !id.is_empty() && !self.generated_ids.contains(id))
    }

    fn write_answer(&mut self, answer: &'a ToolResponse) -> Result<(), &'static str> {
        let mut param = OllamaMessage {
            role: "tool",
            content: match &answer.output {
                Value::String(text) => Cow::Borrowed(text),
                Value::Null if !answer.content.is_empty() => Cow::Borrowed(""),
                output => Cow::Owned(output.to_string()),
            },
            tool_name: Some(self.names.sent_name(&answer.name)),
            tool_call_id: self.call_id(answer.id.as_ref()),
            ..OllamaMessage::default()
        };
        for part in &answer.content {
            if let Part::Text { text, .. } = part {
                let line = if param.content.is_empty() { "" } else { "\n" };
                join_text(&mut param.content, line);
                join_text(&mut param.content, text);
                continue;
            }
            let images = self.shown.images.len();
            write_part(part, &mut self.shown)?;
            if self.shown.images.len() > images {
                let text = format!("The tool `{}` shows image {}.\n", answer.name, images + 1);
                self.shown.content.to_mut().push_str(&text);
            }
        }
        self.messages.push(param);
        Ok(())
    }

    /// Ends a round of tool responses.
    fn end_round(&mut self) {
        let shown = std::mem::take(&mut self.shown);
        if !shown.content.is_empty() || !shown.images.is_empty() {
            self.messages.push(OllamaMessage { role: "user", ..shown });
        }
    }

    fn write_documents(&mut self, text: Option<String>) {
        let param = |text: String| OllamaMessage {
            role: "user",
            content: text.into(),
            ..OllamaMessage::default()
        };
        self.messages.extend(text.map(param));
    }
}

fn is_answer(part: &Part) -> bool {
    part.as_tool_response().is_some()
}

/// Adds the content of a part. Parts of other providers are omitted.
fn write_part<'a>(part: &'a Part, param: &mut OllamaMessage<'a>) -> Result<(), &'static str> {
    match part {
        Part::Text { text, .. } => join_text(&mut param.content, text),
        Part::Data { data, .. } if !data.is_null() => {
            param.content.to_mut().push_str(&data.to_string())
        }
        Part::Media { media, .. } => param.images.push(encode_image(media)?),
        Part::Resource { resource, .. } => match resource {
            ResourcePart { text: Some(text), .. } => join_text(&mut param.content, text),
            ResourcePart { blob: Some(blob), mime_type, .. } => {
                let is_image = mime_type.as_deref().is_some_and(|kind| kind.starts_with("image/"));
                param
                    .images
                    .push(is_image.then_some(Cow::Borrowed(blob.as_str())).ok_or(ONLY_IMAGES)?);
            }
            ResourcePart { uri, .. } => join_text(&mut param.content, uri),
        },
        _ => {}
    }
    Ok(())
}

/// Returns the bytes of an image in base64.
fn encode_image(media: &Media) -> Result<Cow<'_, str>, &'static str> {
    let inline = DataUrl::from_url(&media.url);
    let kind =
        media.content_type.as_deref().or(inline.map(DataUrl::media_type)).unwrap_or("image/*");
    if !kind.starts_with("image/") {
        return Err(ONLY_IMAGES);
    }
    Ok(inline.ok_or(ONLY_BYTES)?.to_base64().unwrap_or_default())
}

/// Appends to a string. The first piece stays borrowed.
fn join_text<'a>(text: &mut Cow<'a, str>, more: &'a str) {
    if text.is_empty() {
        *text = Cow::Borrowed(more);
    } else if !more.is_empty() {
        text.to_mut().push_str(more);
    }
}
