//! Lossless conversion of MCP's content blocks, messages and resources to types of this library.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{
    ContentBlock, GetPromptResult, MetaObject, ReadResourceResult,
    ResourceContents as McpResourceContents, Role as McpRole,
};

use super::error::Error as E;
use genkit_core::internal::action::ContentsBody;
use genkit_core::{Message, Part, PromptReply, ResourceContents, ResourcePart, Result, Role};
use genkit_mcp::internal::extras::read_extras;

/// Converts one content block.
pub(super) fn to_part(block: &ContentBlock) -> Part {
    let media =
        |kind: &str, base64: &str| Part::media(format!("data:{kind};base64,{base64}"), kind);
    let (part, meta) = match block {
        ContentBlock::Text(text) => (Part::text(&text.text), &text.meta),
        ContentBlock::Image(image) => (media(&image.mime_type, &image.data), &image.meta),
        ContentBlock::Audio(audio) => (media(&audio.mime_type, &audio.data), &audio.meta),
        ContentBlock::Resource(held) => (to_embedded(&held.resource), &held.meta),
        ContentBlock::ResourceLink(link) => {
            let part = ResourcePart::new(link.uri.clone(), link.mime_type.clone());
            (Part::from_resource(part), &link.meta)
        }
        // The block is from a later protocol version.
        other => (Part::data(serde_json::to_value(other).unwrap_or_default()), &None),
    };
    let json = serde_json::to_value(block).unwrap_or_default();
    let extras = read_extras(&json).filter(|(key, _)| *key != "_meta");
    let part = extras.fold(part, |part, (key, value)| part.with_mcp_member(key, value));
    with_meta(part, meta.as_ref())
}

fn to_embedded(resource: &McpResourceContents) -> Part {
    Part::from_resource(match resource {
        McpResourceContents::TextResourceContents { uri, mime_type, text, .. } => {
            let mut part = ResourcePart::new(uri.clone(), mime_type.clone());
            part.text = Some(text.clone());
            part
        }
        McpResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
            let mut part = ResourcePart::new(uri.clone(), mime_type.clone());
            part.blob = Some(blob.clone());
            part
        }
        other => return Part::data(serde_json::to_value(other).unwrap_or_default()),
    })
}

fn with_meta(mut part: Part, meta: Option<&MetaObject>) -> Part {
    if let Some(MetaObject(meta)) = meta {
        part.metadata_mut().extend(meta.clone());
    }
    part
}

/// Converts the messages of a prompt. In MCP, each message has one block.
pub(super) fn prompt_reply(result: GetPromptResult) -> PromptReply {
    let messages = result.messages.iter().map(|message| {
        let role = if message.role == McpRole::Assistant { Role::Model } else { Role::User };
        Message::new(role, [to_part(&message.content)])
    });
    PromptReply {
        messages: messages.collect(),
        description: result.description,
        ..PromptReply::default()
    }
}

/// Converts the contents of a resource.
pub(super) fn to_contents(result: ReadResourceResult) -> Result<Vec<ResourceContents>> {
    let pieces = result.contents.into_iter().map(|piece| match piece {
        McpResourceContents::TextResourceContents { uri, mime_type, text, meta } => {
            Ok(to_piece(ContentsBody::Text(text), uri, mime_type, meta))
        }
        McpResourceContents::BlobResourceContents { uri, mime_type, blob, meta } => {
            let bytes = STANDARD.decode(blob).map_err(E::Blob)?;
            Ok(to_piece(ContentsBody::Bytes(bytes), uri, mime_type, meta))
        }
        _ => Err(E::UnknownContents.into()),
    });
    pieces.collect()
}

fn to_piece(
    body: ContentsBody,
    uri: String,
    mime_type: Option<String>,
    meta: Option<MetaObject>,
) -> ResourceContents {
    let piece = ResourceContents { uri: Some(uri), mime_type, ..ResourceContents::new(body) };
    let meta = meta.into_iter().flat_map(|meta| meta.0);
    meta.fold(piece, |piece, (key, value)| piece.with_meta(key, value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_block_is_a_part() {
        for (block, expected) in [
            (json!({"type": "text", "text": "a"}), json!({"text": "a"})),
            (
                json!({"type": "text", "text": "a", "_meta": {"k": 1}}),
                json!({"text": "a", "metadata": {"k": 1}}),
            ),
            (
                json!({"type": "image", "data": "AQI=", "mimeType": "image/png"}),
                json!({"media": {"url": "data:image/png;base64,AQI=", "contentType": "image/png"}}),
            ),
            (
                json!({"type": "audio", "data": "AQI=", "mimeType": "audio/wav"}),
                json!({"media": {"url": "data:audio/wav;base64,AQI=", "contentType": "audio/wav"}}),
            ),
            (
                json!({"type": "resource", "resource": {"uri": "x://1", "text": "hi"}}),
                json!({"resource": {"uri": "x://1", "text": "hi"}}),
            ),
            (
                json!({"type": "resource", "resource": {"uri": "x://2", "blob": "AQI=", "mimeType": "a/b"}}),
                json!({"resource": {"uri": "x://2", "blob": "AQI=", "mimeType": "a/b"}}),
            ),
            (
                json!({"type": "resource_link", "uri": "x://3", "name": "three"}),
                json!({"resource": {"uri": "x://3"}}),
            ),
        ] {
            let block: ContentBlock = serde_json::from_value(block).expect("a block");
            let part = serde_json::to_value(to_part(&block)).expect("JSON");
            let mut expected = expected;
            // The module `message` defines the names of a resource's fields in JSON.
            if let Ok(read) = serde_json::from_value::<Part>(expected.clone()) {
                expected = serde_json::to_value(read).expect("JSON");
            }
            assert_eq!(part, expected);
        }
    }
}
