//! Between our types and MCP's.

use rmcp::model::{
    AudioContent, CallToolResult, ContentBlock, ErrorCode, ErrorData, GetPromptResult, Icon,
    ImageContent, JsonObject, MetaObject, PromptMessage, ReadResourceResult,
    Resource as McpResource, ResourceContents, Role as McpRole,
};
use serde_json::{Value, json};

use super::era::Era;
use crate::action::{Contents, PromptReply, ToolOutput, failure_for_model};
use crate::error::{Error, ErrorKind};
use crate::message::{Message, Part, ResourcePart, Role};
use crate::schema::ResultShape;

/// Where results that are no object stand in the eras that only know objects.
pub(super) const WRAP: &str = "result";

/// A tool's result in the words of `era`.
pub(super) fn tool_result(output: ToolOutput, shape: ResultShape, era: Era) -> CallToolResult {
    let ToolOutput { value, content, metadata } = output;
    let mut blocks: Vec<ContentBlock> = content.into_iter().map(block).collect();
    let mut structured = None;
    if let Some(value) = value {
        if blocks.is_empty() {
            match &value {
                Value::Null => {}
                Value::String(text) => blocks.push(ContentBlock::text(text.clone())),
                other => blocks.push(ContentBlock::text(other.to_string())),
            }
        }
        structured = match (shape, era) {
            (ResultShape::Nothing | ResultShape::Text, _) => None,
            // What another server answers may not be what its schema says.
            (ResultShape::Object, _) => value.is_object().then_some(value),
            (ResultShape::Other, Era::Modern) => Some(value),
            (ResultShape::Other, Era::Legacy) => Some(json!({ WRAP: value })),
            (ResultShape::Unknown, _) => value.is_object().then_some(value),
        };
    }
    let mut result = CallToolResult::success(blocks);
    result.structured_content = structured;
    result.meta = meta(own_meta(&metadata));
    result
}

/// A failure that the model reads and can act on.
pub(super) fn tool_error(error: &Error, name: &str, schema: &Value) -> CallToolResult {
    let message = failure_for_model(error, name, Some(schema));
    CallToolResult::error(vec![ContentBlock::text(message)])
}

/// A failure as a protocol error: for prompts and resources, which have no other.
pub(super) fn protocol_error(error: &Error) -> ErrorData {
    let code = match error.kind() {
        ErrorKind::InvalidArgument | ErrorKind::OutOfRange => ErrorCode::INVALID_PARAMS,
        ErrorKind::NotFound if error.details().is_some_and(|d| d.get("uri").is_some()) => {
            ErrorCode::RESOURCE_NOT_FOUND
        }
        ErrorKind::NotFound => ErrorCode::INVALID_PARAMS,
        _ => ErrorCode::INTERNAL_ERROR,
    };
    ErrorData::new(code, error.chain(), error.details().cloned())
}

/// One block of content.
fn block(part: Part) -> ContentBlock {
    match part {
        Part::Text { text, .. } | Part::Reasoning { reasoning: text, .. } => {
            ContentBlock::text(text)
        }
        Part::Data { data, .. } => ContentBlock::text(data.to_string()),
        // MCP has no block for these: they go as the JSON that they are.
        Part::ToolRequest { .. } | Part::ToolResponse { .. } | Part::Custom { .. } => {
            ContentBlock::text(serde_json::to_string(&part).unwrap_or_default())
        }
        Part::Resource { resource, .. } => resource_block(resource),
        Part::Media { media, .. } => {
            let Some((mime, data)) = media.inline() else {
                return link(media.url, media.content_type);
            };
            let (mime, data) = (mime.to_owned(), data.to_owned());
            if mime.starts_with("image/") {
                ContentBlock::Image(ImageContent::new(data, mime))
            } else if mime.starts_with("audio/") {
                ContentBlock::Audio(AudioContent::new(data, mime))
            } else {
                let uri = format!("data:{mime}");
                ContentBlock::resource(ResourceContents::blob(data, uri).with_mime_type(mime))
            }
        }
    }
}

fn resource_block(resource: ResourcePart) -> ContentBlock {
    let ResourcePart { uri, mime_type, text, blob } = resource;
    let contents = match (text, blob) {
        (Some(text), _) => ResourceContents::text(text, uri),
        (None, Some(blob)) => ResourceContents::blob(blob, uri),
        (None, None) => return link(uri, mime_type),
    };
    ContentBlock::resource(match mime_type {
        Some(mime) => contents.with_mime_type(mime),
        None => contents,
    })
}

fn link(uri: String, mime_type: Option<String>) -> ContentBlock {
    let name = uri.rsplit('/').find(|piece| !piece.is_empty()).unwrap_or(&uri).to_owned();
    let resource = McpResource::new(uri, name);
    ContentBlock::resource_link(match mime_type {
        Some(mime) => resource.with_mime_type(mime),
        None => resource,
    })
}

/// A prompt's messages: one for each part, since MCP's messages have one block.
pub(super) fn prompt_result(reply: PromptReply) -> GetPromptResult {
    let messages = reply.messages.into_iter().flat_map(|message| {
        let role = mcp_role(message.role);
        message.content.into_iter().map(move |part| PromptMessage::new(role.clone(), block(part)))
    });
    let mut result = GetPromptResult::new(messages.collect());
    result.description = reply.description;
    result
}

/// MCP knows two roles; what stands above a conversation goes to the user's side.
fn mcp_role(role: Role) -> McpRole {
    match role {
        Role::Model => McpRole::Assistant,
        Role::User | Role::System | Role::Tool => McpRole::User,
    }
}

/// The content of a resource that was read at `uri`.
pub(super) fn resource_result(
    contents: Vec<Contents>,
    uri: &str,
    mime_type: Option<&str>,
) -> ReadResourceResult {
    use base64::Engine as _;
    let contents = contents.into_iter().map(|piece| {
        let uri = piece.uri.unwrap_or_else(|| uri.to_owned());
        let given = piece.mime_type.or_else(|| mime_type.map(str::to_owned));
        let (contents, usual) = match piece.body {
            crate::action::Body::Text(text) => (ResourceContents::text(text, uri), "text/plain"),
            crate::action::Body::Bytes(bytes) => {
                let data = base64::engine::general_purpose::STANDARD.encode(bytes);
                (ResourceContents::blob(data, uri), "application/octet-stream")
            }
        };
        contents.with_mime_type(given.unwrap_or_else(|| usual.to_owned()))
    });
    ReadResourceResult::new(contents.collect())
}

/// The messages of a sampling request, in MCP's JSON.
pub(super) fn sampling_messages(messages: &[Message]) -> Value {
    let messages = messages.iter().flat_map(|message| {
        let role = mcp_role(message.role);
        message
            .content
            .iter()
            .map(move |part| json!({ "role": role, "content": block(part.clone()) }))
    });
    Value::Array(messages.collect())
}

pub(super) fn meta(map: JsonObject) -> Option<MetaObject> {
    (!map.is_empty()).then(|| MetaObject(map))
}

pub(super) fn icons<'a>(urls: impl Iterator<Item = &'a str>) -> Option<Vec<Icon>> {
    let icons: Vec<Icon> = urls.map(Icon::new).collect();
    (!icons.is_empty()).then_some(icons)
}

/// What an action of another server says as `_meta` is that server's; where it comes from is for
/// programs here.
pub(super) fn own_meta(metadata: &JsonObject) -> JsonObject {
    let mut shown = metadata.clone();
    if let Some(origin) = shown.shift_remove("mcp")
        && let Some(Value::Object(theirs)) = origin.get("_meta")
    {
        shown.extend(theirs.clone());
    }
    shown
}
