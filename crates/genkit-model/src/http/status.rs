//! Error responses: the meaning of their status and headers, which is the same for every provider.

use serde_json::Value;

use crate::wire::HeaderLookup;
use genkit_core::Error;
use genkit_core::ErrorKind;
use genkit_schema::internal::truncate::excerpt;

/// The maximum length of a provider's message in an error, in characters. Default is 2,000.
const MAX_MESSAGE: usize = 2_000;

/// The maximum length of the text of a web page in an error, in characters. Default is 200.
const MAX_PAGE: usize = 200;

/// Headers that contain the provider's request id.
const REQUEST_IDS: [&str; 4] =
    ["x-request-id", "request-id", "x-goog-request-id", "apim-request-id"];

/// Returns the error kind for an HTTP status.
pub fn kind_of_status(status: u16) -> ErrorKind {
    match status {
        400 | 405..=407 | 411..=422 => ErrorKind::InvalidArgument,
        401 => ErrorKind::Unauthenticated,
        402 | 429 => ErrorKind::ResourceExhausted,
        403 => ErrorKind::PermissionDenied,
        404 => ErrorKind::NotFound,
        408 | 504 => ErrorKind::DeadlineExceeded,
        409 => ErrorKind::Aborted,
        499 => ErrorKind::Cancelled,
        500 => ErrorKind::Internal,
        501 => ErrorKind::Unimplemented,
        // Proxies in front of a server have their own codes, such as Cloudflare's 520 to 530.
        502 | 503 | 505..=599 => ErrorKind::Unavailable,
        _ => ErrorKind::Unknown,
    }
}

/// Returns a message as text. Servers written in Python may send a list of problems, which is
/// returned as JSON.
pub fn message_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// Adds values reported by the server to the details of an error, if they are strings or numbers.
pub fn with_reported<const N: usize>(error: Error, told: [(&str, Value); N]) -> Error {
    let told = told.into_iter().filter(|(_, value)| value.is_string() || value.is_number());
    let details: serde_json::Map<_, _> = told.map(|(key, value)| (key.to_owned(), value)).collect();
    if details.is_empty() { error } else { error.with_details(details.into()) }
}

/// Returns whether a body looks like an HTML page, which an API does not send.
pub fn is_web_page(text: &[u8]) -> bool {
    text.trim_ascii_start().starts_with(b"<")
}

/// Returns the title of an HTML page, or its text without tags.
fn page_text(page: &str) -> String {
    let lower = page.to_ascii_lowercase();
    let title = lower.find("<title>").map(|at| at + "<title>".len());
    let title = title.and_then(|from| page[from..].split('<').next());
    let title = title.filter(|title| !title.trim().is_empty());
    let text = match title {
        Some(title) => title.to_owned(),
        None => page.split('<').filter_map(|piece| Some(piece.split_once('>')?.1)).collect(),
    };
    match text.split_whitespace().collect::<Vec<_>>().join(" ") {
        text if text.is_empty() => "the response is a web page".to_owned(),
        text => excerpt(&text, MAX_PAGE),
    }
}

/// Builds the message of an error response from the provider, the status, the server's message and
/// the request id.
pub fn error_text(provider: &str, status: u16, message: &str, headers: HeaderLookup<'_>) -> String {
    let message = match (status, message.trim()) {
        (404, page) if is_web_page(page.as_bytes()) => {
            "the response is a web page; check the base URL".to_owned()
        }
        // An intermediate proxy rejected the request.
        (_, page) if is_web_page(page.as_bytes()) => page_text(page),
        (_, message) => excerpt(message, MAX_MESSAGE),
    };
    let mut text = format!("{provider}: HTTP {status}");
    if !message.is_empty() {
        text.push_str(": ");
        text.push_str(&message);
    }
    if let Some(id) = REQUEST_IDS.iter().find_map(|name| headers(name)) {
        text.push_str(&format!(" (request id {})", excerpt(&id, 100)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_is_cut() {
        let text = |n: usize| error_text("test", 500, &"ä".repeat(n), &|_| None);
        assert!(text(MAX_MESSAGE).ends_with('ä'));
        assert!(text(MAX_MESSAGE + 1).ends_with('…'));
        assert_eq!(text(MAX_MESSAGE).chars().count(), "test: HTTP 500: ".len() + MAX_MESSAGE);
    }

    #[test]
    fn page_of_a_proxy_is_shown_by_its_title() {
        let text = |page: &str| error_text("test", 413, page, &|_| None);
        let page = "<html><head><TITLE>413 Request\n Entity Too Large</TITLE></head><body>nginx</body></html>";
        assert_eq!(text(page), "test: HTTP 413: 413 Request Entity Too Large");
        assert_eq!(text("<html>İ<title></title> <b>too</b> large"), "test: HTTP 413: İ too large");
    }

    #[test]
    fn id_of_the_request_is_named() {
        let headers = |name: &str| (name == "request-id").then(|| "r7".to_owned());
        assert_eq!(error_text("test", 502, "", &headers), "test: HTTP 502 (request id r7)");
    }
}
