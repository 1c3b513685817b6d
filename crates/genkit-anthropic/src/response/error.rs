//! Error responses of the Messages API.

use serde_json::{Value, json};

use crate::NAME;
use genkit_core::Error;
use genkit_model::internal::http::{
    error_text, kind_of_status, message_text, retry_after, should_retry, with_reported,
};
use genkit_model::internal::wire::HeaderLookup;

/// Decodes the error of a response with a status of 400 or more.
pub(crate) fn decode_error(status: u16, headers: HeaderLookup<'_>, body: &[u8]) -> Error {
    let body: Value = serde_json::from_slice(body)
        .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(body).into_owned()));
    let report = body.get("error").unwrap_or(&body);
    // The request id is also in the body, which proxies do not remove.
    let id = body.get("request_id").and_then(Value::as_str);
    let headers_and_id = |name: &str| {
        headers(name).or_else(|| id.filter(|_| name == "request-id").map(str::to_owned))
    };
    let message = error_message(report);
    let mut text = error_text(NAME, status, &message, &headers_and_id);
    // The message contains only `model: claude-x`.
    if status == 404 && message.starts_with("model:") {
        text.push_str("; the model does not exist, or the API key has no access to it");
    }
    let mut error = Error::new(kind_of_status(status), text);
    if let Some(wait) = retry_after(headers) {
        error = error.with_retry_after(wait);
    }
    if let Some(is_worth_it) = should_retry(headers) {
        error = error.with_retryable(is_worth_it);
    }
    with_report(error, Some(status), report)
}

/// Decodes an error within a response with a successful status.
pub(crate) fn error_in_response(report: &Value) -> Error {
    let status = report.get("type").and_then(Value::as_str).and_then(status_for_type);
    let kind = kind_of_status(status.unwrap_or(500));
    let text = match status {
        Some(status) => error_text(NAME, status, &error_message(report), &|_| None),
        None => format!("{NAME}: {}", error_message(report)),
    };
    with_report(Error::new(kind, text), status, report)
}

fn error_message(report: &Value) -> String {
    message_text(report.get("message").filter(|message| message.is_string()).unwrap_or(report))
}

fn with_report(error: Error, status: Option<u16>, report: &Value) -> Error {
    with_reported(error, [("status", json!(status)), ("type", report["type"].clone())])
}

/// Returns the HTTP status that corresponds to a type of error.
fn status_for_type(kind: &str) -> Option<u16> {
    Some(match kind {
        "invalid_request_error" => 400,
        "authentication_error" => 401,
        "billing_error" => 402,
        "permission_error" => 403,
        "not_found_error" => 404,
        "request_too_large" => 413,
        "rate_limit_error" => 429,
        "api_error" => 500,
        "timeout_error" => 504,
        "overloaded_error" => 529,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use genkit_core::ErrorKind;

    #[test]
    fn error_response_reports_message_and_retryability() {
        let body = json!({"type": "error", "request_id": "req_7", "error": {
            "type": "rate_limit_error", "message": "slow down"}});
        let headers = |name: &str| (name == "retry-after").then(|| "12".to_owned());
        let error = decode_error(429, &headers, body.to_string().as_bytes());
        assert_eq!(error.to_string(), "anthropic: HTTP 429: slow down (request id req_7)");
        assert_eq!(error.retry_after(), Some(Duration::from_secs(12)));
        assert_eq!(error.details().unwrap()["type"], "rate_limit_error");
        assert!(error.is_retryable());
        let never = |name: &str| (name == "x-should-retry").then(|| "false".to_owned());
        assert!(!decode_error(529, &never, b"{}").is_retryable());
        assert!(decode_error(529, &|_| None, b"{}").is_retryable());
    }

    #[test]
    fn error_in_a_stream_has_the_kind_of_its_status() {
        let of = |kind: &str| error_in_response(&json!({"type": kind, "message": "m"}));
        assert_eq!(of("overloaded_error").kind(), ErrorKind::Unavailable);
        assert_eq!(of("invalid_request_error").kind(), ErrorKind::InvalidArgument);
        assert_eq!(of("new_error").kind(), ErrorKind::Internal);
        assert_eq!(of("overloaded_error").to_string(), "anthropic: HTTP 529: m");
    }

    #[test]
    fn odd_bodies_are_errors_too() {
        for body in ["", "<html>", "[]", "7", r#"{"error":{"message":7}}"#, r#"{"error":null}"#] {
            assert_eq!(decode_error(404, &|_| None, body.as_bytes()).kind(), ErrorKind::NotFound);
        }
        assert_eq!(decode_error(502, &|_| None, b"").to_string(), "anthropic: HTTP 502");
        for report in [json!(null), json!("x"), json!({"type": 7}), json!([])] {
            assert_eq!(error_in_response(&report).kind(), ErrorKind::Internal);
        }
    }
}
