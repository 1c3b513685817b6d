//! Encoding of requests as Gemini's JSON, borrowing from the request.

mod body;
mod messages;
mod part;
mod settings;
mod thinking;
mod tools;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use std::borrow::Cow;

use super::error::Error as E;
use super::models;
use genkit_core::ModelRequest;
use genkit_core::Result;
use genkit_model::internal::wire::HttpCall;
pub(super) use settings::GeminiSettings;

/// The characters that are percent-encoded in a path, so that a name cannot change the path.
const NOT_IN_PATH: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/').remove(b'@');

/// The name that identifies this client in Google's statistics.
const CLIENT: &str = concat!("genkit-rust/", env!("CARGO_PKG_VERSION"));

/// The suffix of the client name if a request has tools from MCP servers.
const MCP_USED: &str = " mcp_used/unknown";

/// A method of the API.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Generate,
    Stream,
    Count,
    Embed,
}

impl Method {
    /// Returns the method as written in a path.
    fn path_name(self) -> &'static str {
        match self {
            Self::Generate => "generateContent",
            Self::Stream => "streamGenerateContent?alt=sse",
            Self::Count => "countTokens",
            Self::Embed => "batchEmbedContents",
        }
    }
}

/// Encodes the HTTP request for `request`.
pub(super) fn encode_request(
    settings: &GeminiSettings,
    model: &str,
    request: &ModelRequest,
    method: Method,
) -> Result<HttpCall> {
    let config = |key| request.config.get(key).filter(|value: &&Value| !value.is_null());
    let text = |key| config(key).and_then(Value::as_str);
    let model = text("version").map_or(model, models::bare_name);
    let body = body::encode_body(settings, model, request, method)?;
    let version = text("apiVersion").unwrap_or(&settings.version);
    let is_mcp = request.tools.iter().any(|tool| tool.metadata.contains_key("mcp"));
    Ok(HttpCall {
        path: call_path(version, model, method)?,
        headers: call_headers(settings, text("apiKey"), is_mcp),
        body,
    })
}

/// Returns the headers of a call. The key in the request's settings, `own`, takes precedence.
pub(super) fn call_headers(
    settings: &GeminiSettings,
    own: Option<&str>,
    is_mcp: bool,
) -> Vec<(&'static str, Cow<'static, str>)> {
    let client = if is_mcp { format!("{CLIENT}{MCP_USED}").into() } else { CLIENT.into() };
    let mut headers = Vec::with_capacity(3);
    headers.extend([("content-type", "application/json".into()), ("x-goog-api-client", client)]);
    if let Some(key) = own.or(settings.key.as_deref()) {
        headers.push(("x-goog-api-key", key.to_owned().into()));
    }
    headers
}

/// Returns the path prefix of a model with this name.
pub(super) fn model_folder(model: &str) -> &'static str {
    if model.contains('/') { "" } else { "models/" }
}

pub(super) fn call_path(version: &str, model: &str, method: Method) -> Result<String> {
    if model.is_empty() {
        return Err(E::NoModelName.into());
    }
    let mut path = String::with_capacity(2 * model.len() + 64);
    path.push('/');
    path.extend(utf8_percent_encode(version.trim_matches('/'), NOT_IN_PATH));
    path.push('/');
    path.push_str(model_folder(model));
    path.extend(utf8_percent_encode(model, NOT_IN_PATH));
    path.push(':');
    path.push_str(method.path_name());
    Ok(path)
}

#[cfg(test)]
mod tests;
