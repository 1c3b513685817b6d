//! Conversion of response blocks to parts.

use serde_json::{Map, Value};

use crate::NAME;
use crate::metadata::{BLOCK, CALLER, CITATIONS, REDACTED};
use genkit_core::internal::names::Names;
use genkit_core::{Part, ToolRequest};
use genkit_model::internal::signature::add_signature;

/// Converts a complete block. Returns `None` for empty text.
pub(super) fn block_part(mut block: Map<String, Value>, names: &Names<'_>) -> Option<Part> {
    let kind = match block.get("type") {
        Some(Value::String(kind)) => kind.clone(),
        _ => String::new(),
    };
    let mut take = |key: &str| match block.get_mut(key).map(Value::take) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    };
    match kind.as_str() {
        "text" => {
            let text = take("text");
            let citations = block.remove(CITATIONS).filter(is_something);
            if text.is_empty() && citations.is_none() {
                return None;
            }
            let part = Part::text(text);
            Some(match citations {
                Some(citations) => part.with_metadata(CITATIONS, citations),
                None => part,
            })
        }
        "thinking" => {
            let mut part = Part::reasoning(take("thinking"));
            let signature = take("signature");
            if !signature.is_empty() {
                add_signature(part.metadata_mut(), signature.into(), NAME);
            }
            Some(part)
        }
        "redacted_thinking" => Some(custom_part(REDACTED, take("data").into())),
        "tool_use" => {
            let (name, id) = (take("name"), take("id"));
            let input = block.remove("input").filter(|input| !input.is_null());
            let input = input.unwrap_or_else(|| Map::new().into());
            let mut call = ToolRequest::new(names.own_name(&name), input);
            call.id = Some(id).filter(|id| !id.is_empty());
            let part = Part::tool_request(call);
            // A call that the model made directly needs no caller.
            let caller =
                block.remove(CALLER).filter(|it| it.get("type").is_some_and(|it| it != "direct"));
            Some(match caller {
                Some(caller) => part.with_metadata(CALLER, caller),
                None => part,
            })
        }
        // Calls and results of server tools, and unknown blocks, are sent back unchanged.
        _ => Some(custom_part(BLOCK, block.into())),
    }
}

fn custom_part(key: &str, value: Value) -> Part {
    Part::custom(Map::from_iter([(key.to_owned(), value)]))
}

fn is_something(value: &Value) -> bool {
    !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty())
}
