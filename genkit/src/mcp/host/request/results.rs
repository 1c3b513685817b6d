//! Results of MCP as values of this library.
//!
//! Results are read from JSON, not from rmcp's types: rmcp tells results apart by their shape, and a
//! server that sends one member too many would lose all the others.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{CustomResult, ServerResult};
use serde_json::{Map, Value};

use super::error::Error;
use crate::action::{PromptReply, ResourceContents, ToolOutput};
use crate::error::{Error as PublicError, ErrorKind, Result};
use crate::mcp::host::error::OfServer as _;
use crate::message::{Message, Part, Role};

/// A result as the server wrote it, where the transport passed it on so.
pub(crate) fn json(result: ServerResult) -> Result<Value> {
    match result {
        ServerResult::CustomResult(CustomResult(result)) => Ok(result),
        other => Ok(serde_json::to_value(other)?),
    }
}

/// A tool's result as a value, or as content where it is no value.
///
/// `structuredContent` first, then text that is JSON, then text; media and resources stand beside.
///
/// # Errors
/// The tool failed: `isError`.
pub(crate) fn tool_output(server: &str, result: Value, raw: bool) -> Result<ToolOutput> {
    if raw {
        return Ok(ToolOutput { value: Some(result), ..ToolOutput::default() });
    }
    let Value::Object(mut result) = result else {
        return Err(Error::OtherResult("tools/call").of(server));
    };
    let is_result =
        ["content", "structuredContent", "isError"].iter().any(|key| result.contains_key(*key));
    if !is_result && !result.is_empty() {
        return Err(Error::OtherResult("tools/call").of(server));
    }
    let blocks = match result.get_mut("content").map(Value::take) {
        Some(Value::Array(blocks)) => blocks,
        _ => Vec::new(),
    };
    let is_text = |block: &Value| block["type"] == "text";
    let (texts, others): (Vec<Value>, Vec<Value>) = blocks.into_iter().partition(is_text);
    let texts: Vec<&str> = texts.iter().filter_map(|block| block["text"].as_str()).collect();
    let text = texts.join("\n");
    let structured = result.get_mut("structuredContent").map(Value::take);
    let structured = structured.filter(|value| !value.is_null());
    if result.get("isError") == Some(&Value::Bool(true)) {
        let message = match (text.trim(), &structured) {
            ("", Some(value)) => value.to_string(),
            ("", None) => "the tool failed, and does not say why".to_owned(),
            (text, _) => text.to_owned(),
        };
        let failed = PublicError::new(ErrorKind::Unknown, message);
        return Err(match structured {
            Some(value) => failed.with_details(value),
            None => failed,
        });
    }
    let value = match structured {
        Some(value) => Some(value),
        None if texts.is_empty() && !others.is_empty() => None,
        None => Some(json_or_text(text)),
    };
    let mut metadata = Map::new();
    if let Some(meta @ Value::Object(_)) = result.get_mut("_meta").map(Value::take) {
        // Apart from what this library itself notes of parts.
        metadata.insert("mcp".to_owned(), serde_json::json!({ "_meta": meta }));
    }
    Ok(ToolOutput { value, content: others.into_iter().map(part).collect(), metadata })
}

/// Text that is a JSON object or list is that. Numbers and other texts stay as they are written: `1.10` may
/// be a version.
fn json_or_text(text: String) -> Value {
    if text.trim_start().starts_with(['{', '['])
        && let Ok(value) = serde_json::from_str(&text)
    {
        return value;
    }
    Value::String(text)
}

/// A prompt's messages.
pub(crate) fn prompt_reply(server: &str, mut result: Value) -> Result<PromptReply> {
    let Some(Value::Array(messages)) = result.get_mut("messages").map(Value::take) else {
        return Err(Error::OtherResult("prompts/get").of(server));
    };
    let messages = messages.into_iter().map(|mut message| {
        let role = if message["role"] == "assistant" { Role::Model } else { Role::User };
        let parts = match message["content"].take() {
            Value::Array(blocks) => blocks,
            block => vec![block],
        };
        Message::new(role, parts.into_iter().map(part))
    });
    let reply = PromptReply::new(messages);
    Ok(match result["description"].as_str() {
        Some(description) => reply.with_description(description),
        None => reply,
    })
}

/// What a resource holds.
pub(crate) fn contents(server: &str, mut result: Value) -> Result<Vec<ResourceContents>> {
    let Some(Value::Array(contents)) = result.get_mut("contents").map(Value::take) else {
        return Err(Error::OtherResult("resources/read").of(server));
    };
    let mut read = Vec::with_capacity(contents.len());
    for content in contents {
        let mut piece = match (content["text"].as_str(), content["blob"].as_str()) {
            (Some(text), _) => ResourceContents::text(text),
            (None, Some(blob)) => {
                let bytes = STANDARD.decode(blob);
                ResourceContents::bytes(bytes.map_err(|error| Error::Blob(error).of(server))?)
            }
            (None, None) => return Err(Error::OtherResult("resources/read").of(server)),
        };
        if let Some(kind) = content["mimeType"].as_str() {
            piece = piece.with_mime_type(kind);
        }
        if let Some(uri) = content["uri"].as_str() {
            piece = piece.with_uri(uri);
        }
        read.push(piece);
    }
    Ok(read)
}

/// A block of content as a part of a message.
fn part(block: Value) -> Part {
    let text = |key: &str| block[key].as_str().unwrap_or_default();
    match text("type") {
        "text" => Part::text(text("text")),
        "image" | "audio" => media(text("mimeType"), text("data")),
        "resource" => resource(&block["resource"]),
        "resource_link" => {
            let mut link = Part::resource_link(text("uri"));
            if let Part::Resource { resource, .. } = &mut link {
                resource.mime_type = block["mimeType"].as_str().map(str::to_owned);
            }
            for key in ["name", "title", "description"] {
                if let Some(text) = block[key].as_str() {
                    link = link.with_metadata(key, text);
                }
            }
            link
        }
        // Of a later protocol: the model may make something of it.
        _ => Part::data(block),
    }
}

/// An embedded resource is what it holds, with its address.
fn resource(resource: &Value) -> Part {
    let text = |key: &str| resource[key].as_str();
    let uri = text("uri").unwrap_or_default();
    let part = match (text("text"), text("blob")) {
        (Some(text), _) => Part::text(text),
        (None, Some(blob)) => media(text("mimeType").unwrap_or("application/octet-stream"), blob),
        (None, None) => return Part::resource_link(uri),
    };
    part.with_metadata("resource", serde_json::json!({ "uri": uri }))
}

fn media(kind: &str, base64: &str) -> Part {
    Part::media(format!("data:{kind};base64,{base64}"), kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn output(result: Value) -> ToolOutput {
        tool_output("s", result, false).expect("no error")
    }

    fn text(text: &str) -> Value {
        json!({"type": "text", "text": text})
    }

    #[test]
    fn what_a_result_means() {
        let value = |result: Value| output(result).value;
        let structured = json!({"content": [text("{\"a\": 2}")], "structuredContent": {"a": 1}});
        assert_eq!(value(structured), Some(json!({"a": 1})));
        assert_eq!(value(json!({"content": [text(" {\"a\": 2}")]})), Some(json!({"a": 2})));
        assert_eq!(value(json!({"content": [text("[1, 2]")]})), Some(json!([1, 2])));
        assert_eq!(value(json!({"content": [text("{oops")]})), Some(json!("{oops")));
        assert_eq!(value(json!({"content": [text("1.10")]})), Some(json!("1.10")));
        assert_eq!(value(json!({"content": [text("a"), text("b")]})), Some(json!("a\nb")));
        assert_eq!(value(json!({"content": []})), Some(json!("")));
        assert_eq!(value(json!({"structuredContent": 7})), Some(json!(7)));
    }

    #[test]
    fn media_and_resources_are_parts() {
        let result = json!({"content": [
            text("look"),
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            {"type": "resource", "resource": {"uri": "x://1", "text": "hi"}},
            {"type": "resource", "resource": {"uri": "x://2", "blob": "BBBB", "mimeType": "a/b"}},
            {"type": "resource_link", "uri": "x://3", "name": "three"},
            {"type": "hologram", "data": 1},
        ]});
        let ToolOutput { value, content, .. } = output(result);
        assert_eq!(value, Some(json!("look")));
        assert_eq!(content.len(), 5);
        assert_eq!(content[0], Part::media("data:image/png;base64,AAAA", "image/png"));
        assert_eq!(content[1].as_text(), Some("hi"));
        assert_eq!(content[1].metadata()["resource"]["uri"], "x://1");
        assert_eq!(content[2].metadata()["resource"]["uri"], "x://2");
        assert!(matches!(&content[3], Part::Resource { resource, .. } if resource.uri == "x://3"));
        assert!(matches!(&content[4], Part::Data { data, .. } if data["type"] == "hologram"));
    }

    #[test]
    fn media_alone_has_no_value() {
        let image = json!({"type": "image", "data": "AAAA", "mimeType": "image/png"});
        let ToolOutput { value, content, .. } = output(json!({"content": [image]}));
        assert_eq!((value, content.len()), (None, 1));
    }

    #[test]
    fn a_failure_is_an_error_in_the_tools_own_words() {
        let failed = json!({"content": [text("no such file")], "isError": true});
        let error = tool_output("s", failed.clone(), false).expect_err("it failed");
        assert_eq!(error.to_string(), "no such file");
        assert_eq!(tool_output("s", failed.clone(), true).expect("raw").value, Some(failed));
        let silent = tool_output("s", json!({"isError": true}), false).expect_err("it failed");
        assert!(silent.to_string().contains("does not say why"));
    }
}
