//! Encoding of requests for the Messages API, borrowing from the request.

mod block;
mod body;
mod cache;
mod media;
mod messages;
mod settings;
mod thinking;
mod tool_search;
mod tool_use_ids;
mod tools;

use serde_json::Value;

use super::models::{self, ClaudeTraits};
use body::{Purpose, RequestTarget};
use genkit_core::ModelRequest;
use genkit_core::Result;
use genkit_model::internal::wire::HttpCall;
pub(super) use settings::AnthropicSettings;

/// The path of the endpoint, relative to the base URL.
const PATH: &str = "/v1/messages";

/// The first version of the API that uses a bearer token and does not support sampling settings.
const WITH_BEARER: &str = "2026-10-21";

/// Encodes the HTTP request for `request`.
pub(super) fn encode_request(
    settings: &AnthropicSettings,
    model: &str,
    request: &ModelRequest,
    stream: bool,
) -> Result<HttpCall> {
    encode_call(settings, model, request, Purpose::Answer { stream })
}

/// Encodes the HTTP request that counts the tokens of `request`.
pub(super) fn encode_count(
    settings: &AnthropicSettings,
    model: &str,
    request: &ModelRequest,
) -> Result<HttpCall> {
    let mut call = encode_call(settings, model, request, Purpose::Count)?;
    call.path.push_str("/count_tokens");
    Ok(call)
}

fn encode_call(
    settings: &AnthropicSettings,
    model: &str,
    request: &ModelRequest,
    purpose: Purpose,
) -> Result<HttpCall> {
    let text = |key| request.config.get(key).and_then(Value::as_str);
    let model = text("version").map_or(model, models::bare_name);
    let version = text("apiVersion").unwrap_or(&settings.version);
    // Versions are dates, which can be compared as text.
    let is_newer = version >= WITH_BEARER;
    let mut traits = ClaudeTraits::for_model(model);
    traits.samples &= !is_newer;
    let body = body::encode_body(RequestTarget { model, traits, purpose }, request)?;
    let mut headers = vec![
        ("content-type", "application/json".into()),
        ("anthropic-version", version.to_owned().into()),
    ];
    headers.extend(text("apiKey").or(settings.key.as_deref()).map(|key| match is_newer {
        true => ("authorization", format!("Bearer {key}").into()),
        false => ("x-api-key", key.to_owned().into()),
    }));
    let betas = settings::beta_features(request, body.has_files);
    if !betas.is_empty() {
        headers.push(("anthropic-beta", betas.join(",").into()));
    }
    Ok(HttpCall { path: PATH.to_owned(), headers, body: body.bytes })
}
