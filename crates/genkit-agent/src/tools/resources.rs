//! Resources of a run: replaces resource parts with their content.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use genkit_core::Context;
use genkit_core::Registry;
use genkit_core::ResourceRef;
use genkit_core::internal::action::ContentsBody;
use genkit_core::internal::context::supervise_run;
use genkit_core::internal::generate::error::Error as E;
use genkit_core::{ErrorContext as _, Result};
use genkit_core::{Message, Part, ResourcePart};
use genkit_core::{Resource, ResourceContents};

/// The media type of bytes of unknown type.
const UNKNOWN_BYTES: &str = "application/octet-stream";

/// Replaces every resource part of `messages` with the content of the resource.
pub(crate) async fn resolve_resources(
    messages: &mut [Message],
    references: &[ResourceRef],
    registry: &Registry,
    context: impl Fn(Option<Duration>) -> Context,
) -> Result<()> {
    let is_resource = |part: &Part| matches!(part, Part::Resource { .. });
    let mut named: Vec<&mut Message> =
        messages.iter_mut().filter(|message| message.content.iter().any(is_resource)).collect();
    if named.is_empty() {
        return Ok(()); // avoids listing the sources without need
    }
    let mut given = Vec::new();
    for reference in references {
        given.extend(reference.find_resources().await?);
    }
    for message in &mut named {
        let mut content = Vec::with_capacity(message.content.len());
        for part in std::mem::take(&mut message.content) {
            let Part::Resource { resource, metadata, .. } = part else {
                content.push(part);
                continue;
            };
            let parts = match embedded_part(&resource) {
                Some(part) => vec![part],
                None => {
                    let server = metadata.get("mcp").and_then(|origin| origin["server"].as_str());
                    read(&resource.uri, server, &given, registry, &context).await?
                }
            };
            content.extend(parts.into_iter().map(|mut part| {
                part.metadata_mut().extend(metadata.clone());
                part
            }));
        }
        message.content = content;
    }
    Ok(())
}

/// Returns the content that is embedded in the part, if any.
fn embedded_part(resource: &ResourcePart) -> Option<Part> {
    let part = match (&resource.text, &resource.blob) {
        (Some(text), _) => Part::text(text),
        (None, Some(blob)) => {
            let kind = resource.mime_type.as_deref().unwrap_or(UNKNOWN_BYTES);
            Part::media(format!("data:{kind};base64,{blob}"), kind)
        }
        (None, None) => return None,
    };
    Some(part.with_metadata("resource", json!({ "uri": resource.uri })))
}

async fn read(
    uri: &str,
    server: Option<&str>,
    given: &[Resource],
    registry: &Registry,
    context: impl Fn(Option<Duration>) -> Context,
) -> Result<Vec<Part>> {
    let found = match server {
        Some(server) => find_in_server(uri, server, given, registry),
        None => find_in_all_servers(uri, given, registry)?,
    };
    let Some((resource, variables)) = found else {
        return Err(E::ResourceNotFound(uri.to_owned()).into());
    };
    let context = context(resource.timeout());
    let reading = resource.invoke_resource(&context, uri, variables.into());
    let reading = supervise_run(&context, resource.name(), reading);
    let contents = resource
        .read_traced(uri, reading)
        .await
        .context(format!("failed to read the resource `{uri}`"))?;
    Ok(contents.into_iter().map(|content| resource_part(content, uri, &resource)).collect())
}

/// Returns the resource that a link from a server refers to, which must belong to that server. A link to a resource of
/// another server would let untrusted text add that content to the conversation and ask the model to send it elsewhere.
fn find_in_server(
    uri: &str,
    server: &str,
    given: &[Resource],
    registry: &Registry,
) -> Option<(Resource, Map<String, Value>)> {
    let own = |resource: &Resource| resource.server() == Some(server);
    Resource::most_specific(given.iter().filter(|resource| own(resource)).cloned(), uri)
        .or_else(|| registry.resource_for(uri, own))
}

/// Returns the resource that a link of this program refers to: a resource of the program, or else the only matching
/// resource of a server.
fn find_in_all_servers(
    uri: &str,
    given: &[Resource],
    registry: &Registry,
) -> Result<Option<(Resource, Map<String, Value>)>> {
    let own = |resource: &Resource| resource.server().is_none();
    let found = Resource::most_specific(given.iter().filter(|given| own(given)).cloned(), uri)
        .or_else(|| registry.resource_for(uri, own));
    if found.is_some() {
        return Ok(found);
    }
    let answering = Resource::find_matching(given.iter().cloned(), uri);
    let mut servers = answering.iter().filter_map(|(resource, _)| resource.server());
    if let Some(first) = servers.next()
        && let Some(other) = servers.find(|other| *other != first)
    {
        let (uri, server, other) = (uri.to_owned(), first.to_owned(), other.to_owned());
        return Err(E::ResourceOfTwo { uri, server, other }.into());
    }
    Ok(Resource::select_most_specific(answering).or_else(|| registry.resource_for(uri, |_| true)))
}

/// Converts a piece of content into a part, with its origin in the metadata.
pub fn resource_part(content: ResourceContents, uri: &str, resource: &Resource) -> Part {
    let ResourceContents { uri: own, mime_type, body, .. } = content;
    let kind = resource.mime_type();
    let mut place = json!({ "uri": uri });
    if resource.is_template() {
        place["template"] = resource.uri().into();
    }
    if let Some(own) = own.filter(|own| own != uri) {
        place = json!({ "uri": own, "parent": place });
    }
    let part = match body {
        ContentsBody::Text(text) => Part::text(text),
        ContentsBody::Bytes(bytes) => {
            let kind = mime_type.as_deref().or(kind).unwrap_or(UNKNOWN_BYTES);
            Part::media(format!("data:{kind};base64,{}", STANDARD.encode(bytes)), kind)
        }
    };
    part.with_metadata("resource", place)
}
