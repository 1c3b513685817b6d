//! Resources that messages name are replaced by what they hold.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::tools::ResourceRef;
use crate::action::{Body, Contents, Resource};
use crate::context::{Context, ContextParts, TypeMap, supervise};
use crate::error::{Error, ErrorContext as _, Result};
use crate::message::{Message, Part, ResourcePart};
use crate::program::Genkit;

/// The type of bytes of which nothing is known.
const UNKNOWN_BYTES: &str = "application/octet-stream";

/// Replaces every resource part of `messages`.
pub(super) async fn resources(
    messages: &mut [Message],
    given: &[ResourceRef],
    genkit: &Genkit,
    values: &TypeMap,
    limit: Duration,
) -> Result<()> {
    let is_resource = |part: &Part| matches!(part, Part::Resource { .. });
    if !messages.iter().any(|m| m.content.iter().any(is_resource)) {
        return Ok(()); // nobody is asked for what nobody wants
    }
    let mut all = Vec::new();
    for given in given {
        all.extend(given.find().await?);
    }
    let given = &all;
    for message in messages.iter_mut().filter(|m| m.content.iter().any(is_resource)) {
        let mut content = Vec::with_capacity(message.content.len());
        for part in std::mem::take(&mut message.content) {
            match part {
                Part::Resource { resource, metadata } => {
                    let parts = match held(&resource) {
                        Some(part) => vec![part],
                        None => read(&resource.uri, given, genkit, values, limit).await?,
                    };
                    content.extend(parts.into_iter().map(|mut part| {
                        part.metadata_mut().extend(metadata.clone());
                        part
                    }));
                }
                other => content.push(other),
            }
        }
        message.content = content;
    }
    Ok(())
}

/// The content of a part that brings it along.
fn held(resource: &ResourcePart) -> Option<Part> {
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
    given: &[Resource],
    genkit: &Genkit,
    values: &TypeMap,
    limit: Duration,
) -> Result<Vec<Part>> {
    let found = Resource::most_specific(given.iter().cloned(), uri)
        .or_else(|| genkit.registry.resource_for(uri, |_| true));
    let Some((resource, variables)) = found else {
        return Err(Error::not_found(format!(
            "failed to find matching resource for URI `{uri}`: give it to `.resources(..)`, or link \
             the crate that defines it"
        )));
    };
    let context = ContextParts {
        states: genkit.states.clone(),
        values: values.clone(),
        limit: Some(limit),
        ..ContextParts::default()
    }
    .build();
    let contents = call(&context, &resource, uri, variables)
        .await
        .context(format!("cannot read the resource `{uri}`"))?;
    Ok(contents.into_iter().map(|content| part(content, uri, &resource)).collect())
}

async fn call(
    context: &Context,
    resource: &Resource,
    uri: &str,
    variables: Map<String, Value>,
) -> Result<Vec<Contents>> {
    supervise(context, resource.name(), resource.invoke(context, uri, variables.into())).await
}

fn part(content: Contents, uri: &str, resource: &Resource) -> Part {
    let Contents { uri: own, mime_type, body } = content;
    let kind = resource.mime_type();
    let mut place = json!({ "uri": uri });
    if resource.is_template() {
        place["template"] = resource.uri().into();
    }
    if let Some(own) = own.filter(|own| own != uri) {
        place = json!({ "uri": own, "parent": place });
    }
    let part = match body {
        Body::Text(text) => Part::text(text),
        Body::Bytes(bytes) => {
            let kind = mime_type.as_deref().or(kind).unwrap_or(UNKNOWN_BYTES);
            Part::media(format!("data:{kind};base64,{}", STANDARD.encode(bytes)), kind)
        }
    };
    part.with_metadata("resource", place)
}
