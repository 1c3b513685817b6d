//! Conversion of Genkit's messages and parts to MCP's content blocks, icons and `_meta`.

use rmcp::model::{
    AudioContent, ContentBlock, Icon, ImageContent, JsonObject, MetaObject,
    Resource as McpResource, ResourceContents as McpResourceContents, Role as McpRole,
};
use serde_json::{Map, Value};

use crate::extras::write_extras;
use genkit_core::{Message, Part, ResourcePart, Role};

/// Converts a part to a content block, with its annotations, size and `_meta`.
pub fn to_block(mut part: Part) -> ContentBlock {
    let metadata = std::mem::take(part.metadata_mut());
    write_extras(to_bare_block(part), &metadata)
}

fn to_bare_block(part: Part) -> ContentBlock {
    match part {
        Part::Text { text, .. } | Part::Reasoning { reasoning: text, .. } => {
            ContentBlock::text(text)
        }
        Part::Data { data, .. } => ContentBlock::text(data.to_string()),
        // MCP has no block type for these, so they are sent as JSON text.
        Part::ToolRequest { .. } | Part::ToolResponse { .. } | Part::Custom { .. } => {
            ContentBlock::text(serde_json::to_string(&part).unwrap_or_default())
        }
        Part::Resource { resource, .. } => resource_block(resource),
        Part::Media { media, .. } => {
            let Some((mime, data)) = media.inline_data() else {
                return to_link(media.url, media.content_type);
            };
            let (mime, data) = (mime.to_owned(), data.to_owned());
            if mime.starts_with("image/") {
                ContentBlock::Image(ImageContent::new(data, mime))
            } else if mime.starts_with("audio/") {
                ContentBlock::Audio(AudioContent::new(data, mime))
            } else {
                let uri = format!("data:{mime}");
                ContentBlock::resource(McpResourceContents::blob(data, uri).with_mime_type(mime))
            }
        }
        other => ContentBlock::text(serde_json::to_string(&other).unwrap_or_default()),
    }
}

fn resource_block(resource: ResourcePart) -> ContentBlock {
    let ResourcePart { uri, mime_type, text, blob, .. } = resource;
    let contents = match (text, blob) {
        (Some(text), _) => McpResourceContents::text(text, uri),
        (None, Some(blob)) => McpResourceContents::blob(blob, uri),
        (None, None) => return to_link(uri, mime_type),
    };
    ContentBlock::resource(match mime_type {
        Some(mime) => contents.with_mime_type(mime),
        None => contents,
    })
}

fn to_link(uri: String, mime_type: Option<String>) -> ContentBlock {
    let name = uri.rsplit('/').find(|piece| !piece.is_empty()).unwrap_or(&uri).to_owned();
    let resource = McpResource::new(uri, name);
    ContentBlock::resource_link(match mime_type {
        Some(mime) => resource.with_mime_type(mime),
        None => resource,
    })
}

/// Converts a role. MCP has only two, so system and tool messages become user messages.
pub fn to_mcp_role(role: Role) -> McpRole {
    match role {
        Role::Model => McpRole::Assistant,
        _ => McpRole::User,
    }
}

/// Converts messages to the JSON of an MCP sampling request. Returns `None` if a part has no equivalent in a sampling
/// message.
pub fn sampling_messages(messages: &[Message]) -> Option<Value> {
    let mut sampled = Vec::new();
    for message in messages {
        let role = match to_mcp_role(message.role) {
            McpRole::Assistant => "assistant",
            McpRole::User => "user",
        };
        for part in &message.content {
            let content = match to_block(part.clone()) {
                ContentBlock::Text(text) => {
                    build_object(vec![("type", "text".into()), ("text", text.text.into())])
                }
                ContentBlock::Image(ImageContent { data, mime_type, .. }) => build_object(vec![
                    ("type", "image".into()),
                    ("data", data.into()),
                    ("mimeType", mime_type.into()),
                ]),
                ContentBlock::Audio(AudioContent { data, mime_type, .. }) => build_object(vec![
                    ("type", "audio".into()),
                    ("data", data.into()),
                    ("mimeType", mime_type.into()),
                ]),
                _ => return None,
            };
            sampled.push(build_object(vec![("role", role.into()), ("content", content)]));
        }
    }
    Some(Value::Array(sampled))
}

pub fn to_meta(map: JsonObject) -> Option<MetaObject> {
    (!map.is_empty()).then(|| MetaObject(map))
}

pub fn to_icons<'a>(urls: impl Iterator<Item = &'a str>) -> Option<Vec<Icon>> {
    let icons: Vec<Icon> = urls.map(Icon::new).collect();
    (!icons.is_empty()).then_some(icons)
}

/// Returns the `_meta` to send to clients. The origin that Genkit records under `mcp` is replaced by the `_meta` of
/// the upstream server, if any.
pub fn client_meta(metadata: &JsonObject) -> JsonObject {
    let mut shown = metadata.clone();
    if let Some(origin) = shown.shift_remove("mcp")
        && let Some(Value::Object(theirs)) = origin.get("_meta")
    {
        shown.extend(theirs.clone());
    }
    shown
}

/// Builds a small object. Unlike `json!`, this does not inline an insertion for each member.
pub fn build_object(members: Vec<(&str, Value)>) -> Value {
    let mut object = Map::new();
    for (name, value) in members {
        object.insert(name.to_owned(), value);
    }
    Value::Object(object)
}
