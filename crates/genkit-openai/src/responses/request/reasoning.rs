//! Reasoning items that are sent back.

use serde_json::{Map, Value};

use super::item::{InputPart, ReasoningItem};
use crate::responses::metadata::{CONTENT, ENCRYPTED, ID, SUMMARY};
use genkit_core::Part;
use genkit_model::internal::signature;

/// The maximum length of an item id that the API accepts; some gateways return longer ids.
const MAX_ITEM_ID: usize = 64;

/// The conditions under which reasoning items are sent back.
#[derive(Clone, Copy)]
pub(super) struct ReasoningReturn<'a> {
    /// The server of the call, which rejects data that another server encrypted.
    pub(super) server: &'a str,
    /// Whether the model reasons; other models reject the items.
    pub(super) reasons: bool,
    /// Whether the server has stored the items, so that they can be referred to by id.
    pub(super) stored: bool,
}

/// Returns the id in the metadata, if the API accepts it.
pub(super) fn item_id<'a>(metadata: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    let id = metadata.get(key)?.as_str()?;
    (!id.is_empty() && id.len() <= MAX_ITEM_ID).then_some(id)
}

impl ReasoningReturn<'_> {
    /// Converts a reasoning part to an item. Returns `None` if the server cannot use it.
    pub(super) fn reasoning_item<'a>(self, part: &'a Part) -> Option<ReasoningItem<'a>> {
        let Part::Reasoning { reasoning, metadata, .. } = part else { return None };
        if !self.reasons || signature::is_foreign(part, self.server) {
            return None;
        }
        let encrypted = metadata.get(ENCRYPTED).and_then(Value::as_str);
        let id = item_id(metadata, ID);
        let content = text_list(metadata, CONTENT);
        if encrypted.is_none() && content.is_none() && !(self.stored && id.is_some()) {
            return None;
        }
        let one = || if reasoning.is_empty() { Vec::new() } else { vec![reasoning.as_str()] };
        let summary = match text_list(metadata, SUMMARY) {
            Some(summary) => summary,
            None if content.is_some() => Vec::new(),
            None => one(),
        };
        Some(ReasoningItem {
            r#type: "reasoning",
            id,
            summary: summary.into_iter().map(|text| InputPart::SummaryText { text }).collect(),
            content: content
                .into_iter()
                .flatten()
                .map(|text| InputPart::ReasoningText { text })
                .collect(),
            encrypted_content: encrypted,
        })
    }

    /// Returns whether an unchanged item may be sent back.
    pub(super) fn accepts_item(self, item: &Map<String, Value>) -> bool {
        if item.get("type").and_then(Value::as_str) != Some("reasoning") {
            return true;
        }
        self.reasons && (self.stored || item.get("encrypted_content").is_some_and(Value::is_string))
    }
}

fn text_list<'a>(metadata: &'a Map<String, Value>, key: &str) -> Option<Vec<&'a str>> {
    let list = metadata.get(key)?.as_array()?;
    Some(list.iter().filter_map(Value::as_str).collect())
}
