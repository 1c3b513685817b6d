//! Conversion of an output item to parts.

use serde_json::{Map, Value};

use crate::responses::metadata::{CONTENT, ENCRYPTED, ID, ITEM, ITEM_ID, NAMESPACE, SUMMARY};
use crate::wire::builder::OpenAiServer;
use crate::wire::request::tools::RawToolCall;
use genkit_core::ModelRequest;
use genkit_core::Part;
use genkit_core::internal::names::Names;
use genkit_model::internal::lenient::as_json_text;
use genkit_model::internal::signature::SIGNED_BY;

/// The content of an item.
pub(super) enum ItemOutput {
    Message(OutputMessage),
    Part(Part),
    /// The item has no content.
    Nothing,
}

#[derive(Default)]
pub(super) struct OutputMessage {
    pub(super) id: Option<String>,
    pub(super) phase: Option<String>,
    pub(super) text: String,
    pub(super) refusal: String,
    pub(super) annotations: Vec<Value>,
    pub(super) probabilities: Vec<Value>,
}

/// Converts the output items of a response to parts.
pub(super) struct ItemReader<'a> {
    pub(super) request: &'a ModelRequest,
    pub(super) names: Names<'a>,
    pub(super) server: &'a OpenAiServer,
}

impl<'a> ItemReader<'a> {
    pub(super) fn new(request: &'a ModelRequest, server: &'a OpenAiServer) -> Self {
        Self { request, names: request.tool_names(), server }
    }

    pub(super) fn read_item(&self, item: Value) -> ItemOutput {
        let Value::Object(item) = item else { return ItemOutput::Nothing };
        match item.get("type").and_then(Value::as_str) {
            Some("message") => ItemOutput::Message(read_message(item)),
            Some("function_call") => ItemOutput::Part(self.call(item)),
            Some("reasoning") => self.read_reasoning(item),
            Some(_) => ItemOutput::Part(raw_item_part(item)),
            None => ItemOutput::Nothing,
        }
    }

    fn call(&self, mut item: Map<String, Value>) -> Part {
        let id = item_text(&item, "call_id").or_else(|| item_text(&item, "id")).map(str::to_owned);
        let name = item_text(&item, "name").unwrap_or_default().to_owned();
        let arguments = item.get_mut("arguments").map(Value::take).unwrap_or_default();
        let called = RawToolCall { id, name, arguments: as_json_text(arguments) };
        let is_bare = called.arguments.trim().is_empty();
        let strict = self.server.deviations.strict_tools;
        let mut call = called.into_request(self.request, &self.names, strict);
        // A call that ended before its arguments arrived is shown but not run.
        call.partial = is_bare && item_text(&item, "status") == Some("incomplete");
        let part = with_item_id(Part::tool_request(call), &item);
        match item_text(&item, NAMESPACE).filter(|namespace| !namespace.is_empty()) {
            Some(namespace) => part.with_metadata(NAMESPACE, namespace),
            None => part,
        }
    }

    /// Converts a reasoning item. An item without text and encrypted content becomes a custom part,
    /// because the server can only refer to its stored copy.
    fn read_reasoning(&self, item: Map<String, Value>) -> ItemOutput {
        let (summary, content) = (item_texts(&item, "summary"), item_texts(&item, "content"));
        let shown = join_texts(summary.iter().chain(&content).map(String::as_str));
        let encrypted = item_text(&item, "encrypted_content").filter(|text| !text.is_empty());
        if shown.is_empty() && encrypted.is_none() {
            return if item_text(&item, "id").is_some() {
                ItemOutput::Part(raw_item_part(item))
            } else {
                ItemOutput::Nothing
            };
        }
        let mut part = Part::reasoning(shown);
        let metadata = part.metadata_mut();
        for (key, value) in [(ID, item_text(&item, "id")), (ENCRYPTED, encrypted)] {
            metadata.extend(value.map(|value| (key.to_owned(), value.into())));
        }
        if summary.len() > 1 || !(summary.is_empty() || content.is_empty()) {
            metadata.insert(SUMMARY.to_owned(), summary.into());
        }
        if !content.is_empty() {
            metadata.insert(CONTENT.to_owned(), content.into());
        }
        metadata.insert(SIGNED_BY.to_owned(), self.server.server.as_str().into());
        ItemOutput::Part(part)
    }
}

fn read_message(mut item: Map<String, Value>) -> OutputMessage {
    let mut said = OutputMessage {
        id: item_text(&item, "id").map(str::to_owned),
        phase: item_text(&item, "phase").map(str::to_owned),
        ..OutputMessage::default()
    };
    match item.get_mut("content").map(Value::take) {
        // Some servers send a string instead of a list.
        Some(Value::String(text)) => said.text = text,
        Some(Value::Array(blocks)) => {
            for mut block in blocks.into_iter().filter(Value::is_object) {
                said.text.push_str(block["text"].as_str().unwrap_or_default());
                said.refusal.push_str(block["refusal"].as_str().unwrap_or_default());
                let OutputMessage { annotations, probabilities, .. } = &mut said;
                for (key, all) in [("annotations", annotations), ("logprobs", probabilities)] {
                    if let Some(Value::Array(more)) = block.get_mut(key) {
                        all.append(more);
                    }
                }
            }
        }
        _ => {}
    }
    said
}

/// Keeps an item of the API unchanged in a custom part.
fn raw_item_part(item: Map<String, Value>) -> Part {
    Part::custom(Map::from_iter([(ITEM.to_owned(), Value::Object(item))]))
}

fn with_item_id(part: Part, item: &Map<String, Value>) -> Part {
    match item_text(item, "id") {
        Some(id) => part.with_metadata(ITEM_ID, id),
        None => part,
    }
}

fn item_text<'a>(item: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    item.get(key)?.as_str()
}

/// Returns the strings of a list of blocks.
fn item_texts(item: &Map<String, Value>, key: &str) -> Vec<String> {
    let blocks = item.get(key).and_then(Value::as_array).into_iter().flatten();
    blocks.filter_map(|block| block.get("text")?.as_str().map(str::to_owned)).collect()
}

/// The separator between two summaries.
pub(super) const SUMMARY_SEPARATOR: &str = "\n\n";

fn join_texts<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut all = String::new();
    for text in texts.filter(|text| !text.is_empty()) {
        if !all.is_empty() {
            all.push_str(SUMMARY_SEPARATOR);
        }
        all.push_str(text);
    }
    all
}
