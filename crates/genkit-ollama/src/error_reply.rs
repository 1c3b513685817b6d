//! Error replies: Ollama's own words, and what mends them.

use serde::Deserialize;

use super::NAME;
use genkit_core::{Error, ErrorKind};
use genkit_model::internal::http::{error_text, kind_of_status, retry_after};
use genkit_model::internal::lenient::text;
use genkit_schema::internal::truncate::excerpt;

/// The body of an error.
#[derive(Deserialize)]
struct OllamaErrorBody {
    #[serde(default, deserialize_with = "text")]
    error: Option<String>,
}

/// The text of an error that Ollama itself wrote.
fn own(body: &[u8]) -> Option<String> {
    serde_json::from_slice::<OllamaErrorBody>(body).ok()?.error
}

/// Whether an answer says that there is no such API: of a proxy, or of another server.
pub(super) fn is_not_served(status: u16, body: &[u8]) -> bool {
    matches!(status, 404 | 405) && own(body).is_none()
}

/// Whether a request was refused because the model cannot think.
pub(super) fn is_without_thoughts(status: u16, body: &[u8]) -> bool {
    status == 400 && own(body).is_some_and(|text| text.contains("does not support thinking"))
}

/// The error in a reply with a status of 400 or more.
pub(super) fn failure(
    model: &str,
    status: u16,
    headers: &dyn Fn(&str) -> Option<String>,
    body: &[u8],
) -> Error {
    let message = own(body).unwrap_or_else(|| String::from_utf8_lossy(body).trim().to_owned());
    let mut text = error_text(NAME, status, &message, headers);
    let remedy =
        if is_not_served(status, body) { Some(no_api()) } else { remedy(model, status, &message) };
    if let Some(remedy) = remedy {
        text.push_str(": ");
        text.push_str(&remedy);
    }
    let mut error = Error::new(kind_of_status(status), text);
    if let Some(wait) = retry_after(headers) {
        error = error.with_retry_after(wait);
    }
    // A model that is too large does not fit a second later either.
    if status == 500 && message.contains("requires more system memory") {
        error = error.with_retryable(false);
    }
    error
}

/// An error inside of an answer that began well.
pub(super) fn within(model: &str, message: &str, status: Option<u64>) -> Error {
    let status =
        status.and_then(|status| u16::try_from(status).ok()).filter(|it| (400..600).contains(it));
    match status {
        Some(status) => failure(model, status, &|_| None, &body_of(message)),
        // What would have been a 500, had the answer not begun.
        None => {
            Error::new(ErrorKind::Internal, format!("{NAME}: {}", excerpt(message.trim(), 2_000)))
        }
    }
}

fn body_of(message: &str) -> Vec<u8> {
    serde_json::json!({ "error": message }).to_string().into_bytes()
}

fn no_api() -> String {
    let missing = "there is no /api/chat at that address: say where Ollama is with OLLAMA_HOST";
    if true {
        missing.to_owned()
    } else {
        format!(
            "{missing}, or turn on the feature `openai` of genkit for a server that has /v1 alone"
        )
    }
}

/// What mends an error, by its text.
fn remedy(model: &str, status: u16, message: &str) -> Option<String> {
    let lacks = |what: &str| message.contains(&format!("does not support {what}"));
    let other = format!("take another model (`ollama show {model}` says what one can do)");
    Some(if status == 404 && message.contains("not found") {
        format!("get it with `ollama pull {model}`")
    } else if lacks("tools") {
        format!("`{model}` has no tools: {other}, or leave `.tools(..)` out")
    } else if lacks("thinking") {
        format!("`{model}` cannot think: {other}, or leave `reasoningEffort` and `think` out")
    } else if lacks("vision") {
        format!("`{model}` sees no images: {other}, or send text alone")
    } else if status == 401 {
        "sign in with `ollama signin`, or set OLLAMA_API_KEY".to_owned()
    } else if status == 400 && message.contains("context length") {
        "give it a larger window with `num_ctx`, or send less".to_owned()
    } else {
        return None;
    })
}
