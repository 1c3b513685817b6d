//! The body of a request.

use serde::Serialize;
use serde_json::Value;

use super::messages::{self, Content};
use super::settings::{GeminiSettings, GenerationConfig};
use super::tools::{self, ToolConfig, ToolEntry};
use super::{Method, model_folder};
use crate::NAME;
use genkit_core::ModelRequest;
use genkit_core::internal::model::MessageList;
use genkit_core::{Error, Result};

/// Encodes the body of a call.
pub(super) fn encode_body(
    settings: &GeminiSettings,
    model: &str,
    request: &ModelRequest,
    method: Method,
) -> Result<Vec<u8>> {
    let config = |key| request.config.get(key).filter(|value: &&Value| !value.is_null());
    let names = request.tool_names();
    let list = MessageList::from_request(request, (NAME, model));
    let (system_instruction, contents) =
        messages::encode_contents(request, &names, model, list.from)?;
    let rest = || {
        let tools = tools::tool_entries(request, &names, settings.openapi);
        Ok::<_, Error>(GenerateContentRequest {
            model: (method == Method::Count).then(|| format!("{}{model}", model_folder(model))),
            system_instruction,
            generation_config: GenerationConfig::new(request, settings, model, !tools.is_empty()),
            tools,
            tool_config: ToolConfig::for_request(request, &names),
            safety_settings: config("safetySettings"),
            cached_content: config("cachedContent"),
            service_tier: config("serviceTier"),
            labels: config("labels"),
        })
    };
    let shape = (settings.openapi, method == Method::Count);
    let mut body = list.into_body_with(request, "contents", &contents, shape, rest)?;
    if method == Method::Count {
        body = [b"{\"generateContentRequest\":", body.as_slice(), b"}"].concat();
    }
    Ok(body)
}

/// A request without its `contents`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GenerateContentRequest<'a> {
    /// Set if the request is nested in another request, because the API requires the model there, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Content<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<ToolEntry<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_config: Option<ToolConfig<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    safety_settings: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cached_content: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    service_tier: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<&'a Value>,
    #[serde(skip_serializing_if = "GenerationConfig::is_empty")]
    generation_config: GenerationConfig<'a>,
}
