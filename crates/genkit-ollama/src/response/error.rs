//! Error responses: Ollama's own messages, with remedies.

use serde::Deserialize;

use crate::NAME;
use genkit_core::{Error, ErrorKind};
use genkit_model::internal::http::{error_text, kind_of_status, retry_after};
use genkit_model::internal::lenient::deserialize_text;
use genkit_model::internal::wire::HeaderLookup;
use genkit_schema::internal::truncate::excerpt;

/// The body of an error.
#[derive(Deserialize)]
struct OllamaErrorBody {
    #[serde(default, deserialize_with = "deserialize_text")]
    error: Option<String>,
}

/// Returns the message of an error that Ollama itself sent.
fn own_message(body: &[u8]) -> Option<String> {
    serde_json::from_slice::<OllamaErrorBody>(body).ok()?.error
}

/// Returns whether the error came from a proxy or another server, because Ollama's API does not exist there.
pub(crate) fn is_api_missing(status: u16, body: &[u8]) -> bool {
    matches!(status, 404 | 405) && own_message(body).is_none()
}

/// Returns whether a request was rejected because the model cannot think.
pub(crate) fn rejects_thinking(status: u16, body: &[u8]) -> bool {
    status == 400
        && own_message(body).is_some_and(|text| text.contains("does not support thinking"))
}

/// Decodes the error of a response with a status of 400 or more.
pub(crate) fn decode_error(
    model: &str,
    status: u16,
    headers: HeaderLookup<'_>,
    body: &[u8],
) -> Error {
    let message =
        own_message(body).unwrap_or_else(|| String::from_utf8_lossy(body).trim().to_owned());
    let mut text = error_text(NAME, status, &message, headers);
    let remedy = if is_api_missing(status, body) {
        Some(no_api())
    } else {
        find_remedy(model, status, &message)
    };
    if let Some(remedy) = remedy {
        text.push_str("; ");
        text.push_str(&remedy);
    }
    let mut error = Error::new(kind_of_status(status), text);
    if let Some(wait) = retry_after(headers) {
        error = error.with_retry_after(wait);
    }
    // A retry does not help a model that does not fit into memory.
    if status == 500 && message.contains("requires more system memory") {
        error = error.with_retryable(false);
    }
    error
}

/// Decodes an error within a response with a successful status.
pub(crate) fn error_in_response(model: &str, message: &str, status: Option<u64>) -> Error {
    let status =
        status.and_then(|status| u16::try_from(status).ok()).filter(|it| (400..600).contains(it));
    match status {
        Some(status) => decode_error(model, status, &|_| None, &error_body(message)),
        // This would have been status 500 if the response had not begun.
        None => {
            Error::new(ErrorKind::Internal, format!("{NAME}: {}", excerpt(message.trim(), 2_000)))
        }
    }
}

fn error_body(message: &str) -> Vec<u8> {
    serde_json::json!({ "error": message }).to_string().into_bytes()
}

fn no_api() -> String {
    let missing = "the server has no `/api/chat`; set OLLAMA_HOST to the address of Ollama";
    if true {
        missing.to_owned()
    } else {
        format!(
            "{missing}, or enable the feature `openai` of genkit for a server that has only `/v1`"
        )
    }
}

/// Returns the remedy for an error, according to its message.
fn find_remedy(model: &str, status: u16, message: &str) -> Option<String> {
    let lacks = |what: &str| message.contains(&format!("does not support {what}"));
    let other = format!("use another model (`ollama show {model}` lists its capabilities)");
    Some(if status == 404 && message.contains("not found") {
        format!("download the model with `ollama pull {model}`")
    } else if lacks("tools") {
        format!("{other}, or remove `.tools(..)`")
    } else if lacks("thinking") {
        format!("{other}, or remove `reasoningEffort` and `think`")
    } else if lacks("vision") {
        format!("{other}, or send only text")
    } else if status == 401 {
        "sign in with `ollama signin`, or set OLLAMA_API_KEY".to_owned()
    } else if status == 400 && message.contains("context length") {
        "set a larger context window with `num_ctx`, or send less".to_owned()
    } else {
        return None;
    })
}
