//! Results of tool calls: their structured content, their content blocks, or both.

use serde_json::{Map, Value, json};

use super::error::Error;
use super::results::part_from_block;
use crate::error::ServerErrorExt as _;
use genkit_core::Part;
use genkit_core::internal::action::ToolOutput;
use genkit_core::internal::bounded_json::parse_bounded;
use genkit_core::{Error as PublicError, ErrorKind, Result};
use genkit_mcp::internal::{error_status, wrapped_result};

/// The maximum length of an invalid result in an error, in characters. Default is 2,000.
const MAX_SHOWN: usize = 2000;

/// The result of a tool call.
#[derive(Debug, PartialEq)]
pub(crate) struct ToolResult {
    server: String,
    structured: Option<Value>,
    /// Whether the result is marked as wrapped.
    is_wrapped: bool,
    blocks: Vec<Value>,
    metadata: Map<String, Value>,
}

impl ToolResult {
    /// Reads an MCP result.
    ///
    /// # Errors
    /// Returns an error if the tool failed (`isError`), or if `result` is not a tool result.
    pub(crate) fn read(server: &str, result: Value, raw: bool) -> Result<Self> {
        if raw {
            let (structured, blocks) = (Some(result), Vec::new());
            let server = server.to_owned();
            return Ok(Self {
                server,
                structured,
                is_wrapped: false,
                blocks,
                metadata: Map::new(),
            });
        }
        let known = ["content", "structuredContent", "isError"];
        let has_known = |map: &Map<String, Value>| known.iter().any(|key| map.contains_key(*key));
        let mut result = match result {
            Value::Object(result)
                if has_known(&result) || result.keys().all(|key| is_common(key)) =>
            {
                result
            }
            other => {
                let shown = other.to_string().chars().take(MAX_SHOWN).collect();
                return Err(Error::OtherToolResult(shown).for_server(server));
            }
        };
        let blocks = read_blocks(server, result.get_mut("content").map(Value::take));
        let structured = result.get_mut("structuredContent").map(Value::take);
        // Some servers send `null` instead of omitting the value; it is used only if the result has no content.
        let structured = structured.filter(|value| !value.is_null() || blocks.is_empty());
        if is_error(server, result.get("isError")) {
            let kind = result.get("_meta").and_then(error_status::kind_of_meta);
            return Err(tool_error(
                server,
                &blocks,
                structured,
                kind.unwrap_or(ErrorKind::Unknown),
            ));
        }
        let (mut metadata, mut is_wrapped) = (Map::new(), false);
        if let Some(Value::Object(mut meta)) = result.get_mut("_meta").map(Value::take) {
            is_wrapped = wrapped_result::take_mark(&mut meta);
            // Separate from this library's own metadata of parts.
            metadata.insert("mcp".to_owned(), json!({ "_meta": meta }));
        }
        let server = server.to_owned();
        Ok(Self { server, structured, is_wrapped, blocks, metadata })
    }

    /// Returns whether only the tool's schema can determine if the result is wrapped.
    pub(crate) fn may_be_wrapped(&self) -> bool {
        !self.is_wrapped
            && self.structured.as_ref().is_some_and(|v| wrapped_result::unwrap_value(v).is_some())
    }

    /// Also marks the result as wrapped if the tool's schema declares it (`is_wrapped`).
    pub(crate) fn mark_wrapped(mut self, is_wrapped: bool) -> Self {
        self.is_wrapped |= is_wrapped;
        self
    }

    /// Returns the value, and the content that does not repeat it, for the generate loop and registries.
    ///
    /// Without structured content the value is the text, and media and resources are separate content.
    pub(crate) fn into_output(self) -> ToolOutput {
        let server = self.server.clone();
        let part = |block| part_from_block(&server, block);
        let (value, blocks, metadata, repeated) = self.split();
        if value.is_some() {
            let content = blocks.into_iter().map(part).collect();
            return ToolOutput { value, content, metadata, repeated };
        }
        let (texts, others): (Vec<Value>, Vec<Value>) = blocks.into_iter().partition(is_text);
        let value = (!texts.is_empty() || others.is_empty()).then(|| text_value(&texts));
        let content = others.into_iter().map(part).collect();
        ToolOutput { value, content, metadata, repeated }
    }

    /// Returns the result as a single value: the structured content, or else the text, parsed if it is a JSON object or
    /// array. If there is other content, returns all of it as a list of parts, or a single part.
    ///
    /// # Errors
    /// Returns an error if a part cannot be serialized.
    pub(crate) fn into_value(self) -> Result<Value> {
        let server = self.server.clone();
        let part = |block| part_from_block(&server, block);
        let (value, blocks, ..) = self.split();
        if blocks.iter().all(is_text) {
            return Ok(value.unwrap_or_else(|| text_value(&blocks)));
        }
        let value = value.map(|value| match value {
            Value::String(text) => Part::text(text),
            value => Part::data(value),
        });
        let mut parts: Vec<Part> = value.into_iter().chain(blocks.into_iter().map(part)).collect();
        Ok(match parts.len() {
            1 => serde_json::to_value(parts.remove(0))?,
            _ => serde_json::to_value(parts)?,
        })
    }

    /// Splits the result into the unwrapped structured content, the other blocks, the metadata, and the strings that
    /// repeat the value.
    fn split(self) -> (Option<Value>, Vec<Value>, Map<String, Value>, Vec<String>) {
        let Self { structured, is_wrapped, mut blocks, metadata, .. } = self;
        let mut repeated = Vec::new();
        let Some(mut value) = structured else { return (None, blocks, metadata, repeated) };
        if is_repeated(&blocks, &value) {
            let texts = blocks.iter().filter(|block| is_text(block)).filter_map(block_text);
            repeated.extend(texts.map(str::to_owned));
            blocks.retain(|block| !is_text(block));
        }
        if let Some(inner) = wrapped_result::unwrap_value(&value).filter(|_| is_wrapped) {
            value = inner.clone();
        }
        (Some(value), blocks, metadata, repeated)
    }
}

/// Returns whether every MCP result can have the member. A result that has only such members is empty.
fn is_common(member: &str) -> bool {
    ["_meta", "resultType"].contains(&member)
}

/// Reads the content of a result. Servers written without an SDK also send a single block, or a bare value.
fn read_blocks(server: &str, content: Option<Value>) -> Vec<Value> {
    let blocks = match content {
        None | Some(Value::Null) => return Vec::new(),
        Some(Value::Array(blocks)) => blocks,
        Some(other) => {
            tracing::warn!(
                server,
                "the `content` of a tool result is not a list; treating it as a single block"
            );
            vec![other]
        }
    };
    let (count, mut malformed) = (blocks.len(), 0_usize);
    let blocks = blocks.into_iter().filter_map(|block| read_block(block, &mut malformed)).collect();
    if malformed > 0 {
        tracing::warn!(
            server,
            malformed,
            count,
            "some blocks of a tool result do not match the MCP schema; treating them as text"
        );
    }
    blocks
}

/// Returns a block that is valid in MCP. A malformed block becomes text, so that the model still receives its content.
fn read_block(mut block: Value, malformed: &mut usize) -> Option<Value> {
    if block.is_null() {
        return None;
    }
    let text_of_kind = |key: &str| block[key].is_string();
    let is_valid = match block["type"].as_str() {
        Some("text") => text_of_kind("text"),
        Some("image" | "audio") => text_of_kind("data") && text_of_kind("mimeType"),
        Some("resource") => {
            let resource = &block["resource"];
            resource["uri"].is_string()
                && (!resource["blob"].is_null() || !resource["text"].is_null())
                && [&resource["text"], &resource["blob"]]
                    .iter()
                    .all(|value| value.is_null() || value.is_string())
        }
        Some("resource_link") => text_of_kind("uri"),
        // From a later protocol version.
        Some(_) => true,
        None => false,
    };
    if is_valid {
        return Some(block);
    }
    *malformed += 1;
    let is_text = match block.as_object() {
        Some(map) => {
            let mut others =
                map.keys().filter(|key| !["type", "annotations", "_meta"].contains(&key.as_str()));
            others.next().is_some_and(|key| key == "text") && others.next().is_none()
        }
        None => false,
    };
    let value = if is_text { block["text"].take() } else { block };
    let text = match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    Some(json!({ "type": "text", "text": text }))
}

/// Returns whether a result is an error. Some servers send the flag as text or as a number.
fn is_error(server: &str, flag: Option<&Value>) -> bool {
    let is_error = match flag {
        None | Some(Value::Null) => return false,
        Some(Value::Bool(is_error)) => return *is_error,
        Some(Value::String(text)) => {
            !["false", "0", "no", ""].contains(&text.trim().to_ascii_lowercase().as_str())
        }
        Some(Value::Number(number)) => number.as_f64() != Some(0.0),
        Some(Value::Array(_) | Value::Object(_)) => true,
    };
    tracing::warn!(server, is_error, "`isError` of a tool result is not a boolean");
    is_error
}

/// Returns whether the text repeats the structured content, as servers do for clients that read only text: as JSON, as
/// the only member (`{"content": ".."}`), or as one block per item.
fn is_repeated(blocks: &[Value], structured: &Value) -> bool {
    let texts: Vec<&str> =
        blocks.iter().filter(|block| is_text(block)).filter_map(block_text).collect();
    let only = structured.as_object().filter(|map| map.len() == 1);
    let values = [Some(structured), only.and_then(|map| map.values().next())];
    values.into_iter().flatten().any(|value| match (value, texts.as_slice()) {
        (value, [text]) if has_value(text, value) => true,
        (Value::Array(items), texts) if items.len() == texts.len() => {
            items.iter().zip(texts).all(|(item, text)| has_value(text, item))
        }
        _ => false,
    })
}

fn has_value(text: &str, value: &Value) -> bool {
    value.as_str() == Some(text) || parse_bounded(text.as_bytes()).is_ok_and(|said| said == *value)
}

/// Creates the error of a failed call, with the tool's own text.
fn tool_error(
    server: &str,
    blocks: &[Value],
    structured: Option<Value>,
    kind: ErrorKind,
) -> PublicError {
    let structured = structured.filter(|value| !value.is_null());
    let text = join_texts(blocks);
    let message = match (text.trim(), &structured) {
        ("", Some(value)) => value.to_string(),
        ("", None) => "the tool failed without an error message".to_owned(),
        (text, _) => text.to_owned(),
    };
    let others = blocks.iter().filter(|block| !is_text(block)).count();
    if others > 0 {
        tracing::warn!(
            server,
            blocks = others,
            "omitted the non-text content of a failed tool call"
        );
    }
    let failed = PublicError::new(kind, message);
    match structured {
        Some(value) => failed.with_details(value),
        None => failed,
    }
}

fn is_text(block: &Value) -> bool {
    block["type"] == "text"
}

fn block_text(block: &Value) -> Option<&str> {
    block["text"].as_str()
}

fn join_texts(blocks: &[Value]) -> String {
    let texts: Vec<&str> =
        blocks.iter().filter(|block| is_text(block)).filter_map(block_text).collect();
    texts.join("\n")
}

/// Parses text that is a JSON object or array. Other text remains a string, including numbers, because `1.10` may be a
/// version. JSON with too many values, or with integers that would be rounded, remains a string as well.
fn text_value(blocks: &[Value]) -> Value {
    let text = join_texts(blocks);
    if text.trim_start().starts_with(['{', '['])
        && let Ok(value) = parse_bounded(text.as_bytes())
    {
        return value;
    }
    Value::String(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(result: Value) -> ToolResult {
        ToolResult::read("s", result, false).expect("no error")
    }

    fn value(result: Value) -> Value {
        read(result).into_value().expect("parts serialize")
    }

    fn text(text: &str) -> Value {
        json!({"type": "text", "text": text})
    }

    fn image() -> Value {
        json!({"type": "image", "data": "AAAA", "mimeType": "image/png"})
    }

    fn image_part() -> Value {
        json!({"media": {"url": "data:image/png;base64,AAAA", "contentType": "image/png"}})
    }

    #[test]
    fn tool_results_are_converted_to_values() {
        let structured = json!({"content": [text("two")], "structuredContent": {"a": 1}});
        assert_eq!(value(structured), json!({"a": 1}));
        assert_eq!(value(json!({"content": [text(" {\"a\": 2}")]})), json!({"a": 2}));
        assert_eq!(value(json!({"content": [text("[1, 2]")]})), json!([1, 2]));
        assert_eq!(value(json!({"content": [text("{oops")]})), json!("{oops"));
        assert_eq!(value(json!({"content": [text("1.10")]})), json!("1.10"));
        assert_eq!(value(json!({"content": [text("a"), text("b")]})), json!("a\nb"));
        assert_eq!(value(json!({"content": []})), json!(""));
        for empty in [json!({}), json!({"_meta": {"a": 1}}), json!({"resultType": "complete"})] {
            assert_eq!(value(empty), json!(""));
        }
        assert_eq!(value(json!({"structuredContent": 7})), json!(7));
        assert_eq!(value(json!({"content": [], "structuredContent": null})), Value::Null);
        assert_eq!(value(json!({"content": [text("a")], "structuredContent": null})), json!("a"));
    }

    #[test]
    fn content_in_another_form_reaches_the_model_as_text() {
        for (content, expected) in [
            (json!("plain"), json!("plain")),
            (json!(5), json!("5")),
            (text("plain"), json!("plain")),
            (json!(["plain"]), json!("plain")),
            (json!([null, text("plain")]), json!("plain")),
            (json!([{"type": "text", "text": 42}]), json!("42")),
            (json!([{"type": "text", "text": {"a": 1}}]), json!({"a": 1})),
            (json!([{"text": "no type"}]), json!("no type")),
            (json!({"answer": 1}), json!({"answer": 1})),
            (json!([{"type": "image", "data": "AA"}]), json!({"type": "image", "data": "AA"})),
            (
                json!([{"type": "resource", "resource": "x"}]),
                json!({"type": "resource", "resource": "x"}),
            ),
            (json!([{"type": 5}]), json!({"type": 5})),
        ] {
            assert_eq!(value(json!({ "content": content })), expected, "{content}");
        }
    }

    #[test]
    fn error_flag_of_another_type_is_read() {
        for flag in [json!("true"), json!("True"), json!(1)] {
            let failed = json!({"content": "broken", "isError": flag});
            let error = ToolResult::read("s", failed, false).expect_err("failed");
            assert_eq!(error.to_string(), "broken");
        }
        assert_eq!(value(json!({"content": "fine", "isError": "false"})), json!("fine"));
    }

    #[test]
    fn one_part_is_that_part_and_several_are_a_list_in_their_order() {
        assert_eq!(value(json!({"content": [image()]})), image_part());
        assert_eq!(
            value(json!({"content": [text("before"), image(), text("after")]})),
            json!([{"text": "before"}, image_part(), {"text": "after"}])
        );
        let both = json!({"content": [text("{\"a\":1}"), image()], "structuredContent": {"a": 1}});
        assert_eq!(value(both), json!([{"data": {"a": 1}}, image_part()]));
    }

    #[test]
    fn loop_gets_all_content_and_no_text_twice() {
        let output = |result| read(result).into_output();
        let ToolOutput { value, content, .. } =
            output(json!({"content": [text("look"), image(), text("there")]}));
        assert_eq!((value, content.len()), (Some(json!("look\nthere")), 1));
        let ToolOutput { value, content, .. } = output(json!({"content": [image()]}));
        assert_eq!((value, content.len()), (None, 1));
        let a = json!({"a": 1});
        let said = |texts: Value| {
            let result = json!({"content": texts, "structuredContent": a});
            let ToolOutput { value, content, .. } = output(result);
            assert_eq!(value, Some(a.clone()));
            content
        };
        assert_eq!(said(json!([text("{ \"a\" : 1 }")])), []);
        assert_eq!(said(json!([text("It is one.")])), [Part::text("It is one.")]);
        assert_eq!(said(json!([text("{\"a\":1}"), image()])).len(), 1);
        // The official Python SDK wraps without a mark, and writes one block per item.
        let list =
            json!({"content": [text("x"), text("y")], "structuredContent": {"result": ["x", "y"]}});
        let ToolOutput { value, content, .. } = output(list);
        assert_eq!((value, content), (Some(json!({"result": ["x", "y"]})), vec![]));
        let file = json!({"content": [text("hi")], "structuredContent": {"content": "hi"}});
        assert_eq!(output(file).content, []);
    }

    #[test]
    fn wrapper_is_taken_off_where_it_is_marked() {
        let wrapped = |meta: Value| json!({"content": [text("5")], "structuredContent": {"result": 5}, "_meta": meta});
        assert_eq!(value(wrapped(json!({"genkit/wrap-result": true}))), 5);
        assert_eq!(value(wrapped(json!({"fastmcp": {"wrap_result": true}}))), 5);
        assert_eq!(value(wrapped(json!({}))), json!({"result": 5}));
        let listed = read(wrapped(json!({})));
        assert!(listed.may_be_wrapped());
        assert_eq!(listed.mark_wrapped(true).into_output().value, Some(json!(5)));
        let marked = read(wrapped(json!({"genkit/wrap-result": true, "a": 1})));
        assert!(!marked.may_be_wrapped());
        let ToolOutput { content, metadata, .. } = marked.into_output();
        assert_eq!((content, &metadata["mcp"]["_meta"]), (vec![], &json!({"a": 1})));
    }

    #[test]
    fn tool_failure_keeps_the_error_text() {
        let failed = json!({"content": [text("no such file"), image()], "isError": true});
        let error = ToolResult::read("s", failed.clone(), false).expect_err("failed");
        assert_eq!(error.to_string(), "no such file");
        let raw = ToolResult::read("s", failed.clone(), true).expect("raw");
        assert_eq!(raw.into_value().expect("raw"), failed);
        let silent = ToolResult::read("s", json!({"isError": true}), false).expect_err("failed");
        assert!(silent.to_string().contains("without an error message"));
    }
}
