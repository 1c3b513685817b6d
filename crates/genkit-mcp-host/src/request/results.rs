//! Conversion of MCP results into values of this library.
//!
//! Results are read from JSON instead of rmcp's types, because rmcp recognizes results by their shape: an additional
//! member would make it lose all other members.
//!
//! | in the result | the model receives |
//! |---|---|
//! | no `content`, or `content` that is a single block or a string | the value, as text or data |
//! | a block of an unknown type, or a malformed block of a tool result | the block as data, or as text with a warning |
//! | a JSON value that is not an object, instead of the result | an error that quotes it |

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{CustomResult, ServerResult};
use serde_json::{Map, Value, json};

use super::error::Error;
use crate::error::ServerErrorExt as _;
use genkit_core::Result;
use genkit_core::{Message, Part, Role};
use genkit_core::{PromptReply, ResourceContents};
use genkit_mcp::internal::extras::read_extras;
use genkit_schema::internal::truncate::truncate;

/// The known types of results; a result without a type is complete.
const KNOWN_TYPES: [&str; 2] = ["complete", INPUT_REQUIRED];

/// The type of a result that requires input first.
pub(super) const INPUT_REQUIRED: &str = "input_required";

/// Returns a result as raw JSON, if the transport preserved it.
pub(crate) fn into_json(result: ServerResult) -> Result<Value> {
    match result {
        ServerResult::CustomResult(CustomResult(result)) => Ok(result),
        other => Ok(serde_json::to_value(other)?),
    }
}

/// Checks that a result has a known type. Since 2026-07-28, `resultType` specifies how to interpret a result.
///
/// # Errors
/// Returns an error if the type is unknown.
pub(crate) fn check_type(server: &str, target: &str, result: &Value) -> Result<()> {
    match result.get("resultType") {
        None => Ok(()),
        Some(kind) if KNOWN_TYPES.iter().any(|known| kind == known) => Ok(()),
        Some(kind) => {
            let (target, kind) = (target.to_owned(), truncate(&kind.to_string(), 80).to_owned());
            Err(Error::UnknownResultType { target, kind }.for_server(server))
        }
    }
}

/// Reads the messages of a prompt.
pub(crate) fn prompt_reply(server: &str, mut result: Value) -> Result<PromptReply> {
    let Some(Value::Array(messages)) = result.get_mut("messages").map(Value::take) else {
        return Err(Error::OtherResult("prompts/get").for_server(server));
    };
    let messages = messages.into_iter().map(|mut message| {
        let role = if message["role"] == "assistant" { Role::Model } else { Role::User };
        let parts = match message["content"].take() {
            Value::Array(blocks) => blocks,
            block => vec![block],
        };
        Message::new(role, parts.into_iter().map(|block| part_from_block(server, block)))
    });
    let reply = PromptReply::new(messages);
    Ok(match result["description"].as_str() {
        Some(description) => reply.with_description(description),
        None => reply,
    })
}

/// Reads the contents of a resource.
pub(crate) fn read_contents(server: &str, mut result: Value) -> Result<Vec<ResourceContents>> {
    let Some(Value::Array(contents)) = result.get_mut("contents").map(Value::take) else {
        return Err(Error::OtherResult("resources/read").for_server(server));
    };
    let mut read = Vec::with_capacity(contents.len());
    for content in contents {
        let mut piece = match (content["text"].as_str(), content["blob"].as_str()) {
            (Some(text), _) => ResourceContents::text(text),
            (None, Some(blob)) => {
                let bytes = STANDARD.decode(blob);
                ResourceContents::bytes(
                    bytes.map_err(|error| Error::Blob(error).for_server(server))?,
                )
            }
            (None, None) => return Err(Error::OtherResult("resources/read").for_server(server)),
        };
        if let Some(kind) = content["mimeType"].as_str() {
            piece = piece.with_mime_type(kind);
        }
        if let Some(uri) = content["uri"].as_str() {
            piece = piece.with_uri(uri);
        }
        if let Value::Object(meta) = content["_meta"].clone() {
            piece = meta.into_iter().fold(piece, |piece, (key, value)| piece.with_meta(key, value));
        }
        read.push(piece);
    }
    Ok(read)
}

/// Converts a content block into a part of a message, with its annotations, size and `_meta`.
pub(super) fn part_from_block(server: &str, block: Value) -> Part {
    let extras: Vec<_> = read_extras(&block).collect();
    let part = bare_part(server, block);
    extras.into_iter().fold(part, |part, (key, value)| part.with_mcp_member(key, value))
}

fn bare_part(server: &str, block: Value) -> Part {
    let text = |key: &str| block[key].as_str().unwrap_or_default();
    match text("type") {
        "text" => Part::text(text("text")),
        "image" | "audio" => media_part(text("mimeType"), text("data")),
        "resource" => resource_part(server, &block["resource"]),
        "resource_link" => {
            let mut link = link_part(server, text("uri"));
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
        // From a later protocol version; the model may still understand it.
        _ => Part::data(block),
    }
}

/// Creates a link to a resource of this server.
fn link_part(server: &str, uri: &str) -> Part {
    Part::resource_link(uri).with_metadata("mcp", json!({ "server": server }))
}

/// Converts an embedded resource into its content, with its URI as metadata.
fn resource_part(server: &str, resource: &Value) -> Part {
    let text = |key: &str| resource[key].as_str();
    let uri = text("uri").unwrap_or_default();
    let part = match (text("text"), text("blob")) {
        (Some(text), _) => Part::text(text),
        (None, Some(blob)) => {
            media_part(text("mimeType").unwrap_or("application/octet-stream"), blob)
        }
        (None, None) => return link_part(server, uri),
    };
    let mut about = Map::new();
    about.insert("uri".to_owned(), uri.into());
    if let Some(kind) = text("mimeType") {
        about.insert("mimeType".to_owned(), kind.into());
    }
    part.with_metadata("resource", about)
}

fn media_part(kind: &str, base64: &str) -> Part {
    Part::media(format!("data:{kind};base64,{base64}"), kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use genkit_core::ErrorKind;

    #[test]
    fn blocks_are_parts() {
        let blocks = json!([
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            {"type": "resource", "resource": {"uri": "x://1", "text": "hi", "mimeType": "text/x"}},
            {"type": "resource", "resource": {"uri": "x://2", "blob": "BBBB", "mimeType": "a/b"}},
            {"type": "resource_link", "uri": "x://3", "name": "three"},
            {"type": "hologram", "data": 1},
        ]);
        let parts: Vec<Part> = blocks
            .as_array()
            .into_iter()
            .flatten()
            .cloned()
            .map(|block| part_from_block("s", block))
            .collect();
        assert_eq!(parts[0], Part::media("data:image/png;base64,AAAA", "image/png"));
        assert_eq!(parts[1].as_text(), Some("hi"));
        assert_eq!(parts[1].metadata()["resource"], json!({"uri": "x://1", "mimeType": "text/x"}));
        assert_eq!(parts[2].metadata()["resource"]["uri"], "x://2");
        assert!(matches!(&parts[3], Part::Resource { resource, .. } if resource.uri == "x://3"));
        assert_eq!(parts[3].metadata()["mcp"]["server"], "s");
        assert!(matches!(&parts[4], Part::Data { data, .. } if data["type"] == "hologram"));
    }

    #[test]
    fn type_of_result_that_is_unknown_is_an_error_that_names_it() {
        assert!(check_type("s", "t", &json!({"content": []})).is_ok());
        assert!(check_type("s", "t", &json!({"resultType": "complete"})).is_ok());
        assert!(check_type("s", "t", &json!({"resultType": "input_required"})).is_ok());
        for unknown in [json!("task"), json!(7), Value::Null] {
            let error = check_type("s", "t", &json!({"resultType": unknown})).expect_err("unknown");
            let said = error.to_string();
            assert_eq!(error.kind(), ErrorKind::Unimplemented);
            assert!(said.contains("`t`") && said.contains(&unknown.to_string()), "{said}");
            assert!(said.contains("`complete` and `input_required`"), "{said}");
        }
    }
}
