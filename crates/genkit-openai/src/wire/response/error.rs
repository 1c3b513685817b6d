//! Error responses, in the various formats that servers use.

use std::time::Duration;

use serde_json::{Value, json};

use genkit_core::{Error, ErrorKind};
use genkit_model::internal::http::{
    Error as HttpError, duration_from_seconds, error_text, is_web_page, kind_of_status,
    message_text, retry_after, should_retry, with_reported,
};
use genkit_model::internal::wire::HeaderLookup;

/// The parts of an error response.
#[derive(Default)]
struct ErrorReport {
    message: String,
    code: Value,
    kind: Value,
    /// The message from the server behind a gateway.
    upstream_message: Option<String>,
}

/// Decodes the error of a response with a status of 400 or more.
pub(crate) fn decode_error(
    provider: &str,
    status: u16,
    headers: HeaderLookup<'_>,
    body: &[u8],
) -> Error {
    let report = match serde_json::from_slice::<Value>(body) {
        Ok(body) => parse_report(&body),
        Err(_) => ErrorReport { message: plain_text(status, body), ..ErrorReport::default() },
    };
    let text = error_text(provider, status, &report.report_text(), headers);
    let mut error = Error::new(kind_of_status(status), text);
    if let Some(wait) = retry_after(headers).or_else(|| parse_retry_delay(&report.message)) {
        error = error.with_retry_after(wait);
    }
    // Waiting does not restore an exhausted quota or balance.
    let never = status == 402 || report.is_quota();
    if let Some(worth) = should_retry(headers).or(never.then_some(false)) {
        error = error.with_retryable(worth);
    }
    report.with_report(error, Some(status))
}

/// Returns the JSON of an error that was sent in an event named `error`, or in a list, as Gemini's
/// server sends errors.
///
/// # Errors
/// Returns an error if the data of an unnamed event is not valid JSON, or if the list is empty.
pub(super) fn decode_event_error(
    provider: &str,
    is_named: bool,
    data: &str,
) -> Result<Value, HttpError> {
    let body = match serde_json::from_str(data) {
        Ok(Value::Array(list)) => match list.into_iter().next() {
            Some(first) => first,
            None => {
                let nothing: serde_json::Error = serde::de::Error::custom("an empty list");
                return Err(HttpError::from_json(provider, &nothing));
            }
        },
        Ok(body) => body,
        Err(_) if is_named => data.into(),
        Err(error) => return Err(HttpError::from_json(provider, &error)),
    };
    Ok(body.get("error").cloned().unwrap_or(body))
}

/// Decodes an error within a response with a successful status.
pub(crate) fn error_in_response(provider: &str, error: &Value) -> Error {
    let report = parse_report(&json!({ "error": error }));
    let status = report.report_status(error);
    let kind = match (status, report.code.as_str().or(report.kind.as_str())) {
        (Some(status), _) => kind_of_status(status),
        (None, Some("rate_limit_exceeded" | "insufficient_quota")) => ErrorKind::ResourceExhausted,
        (None, Some("invalid_request_error" | "context_length_exceeded" | "invalid_prompt")) => {
            ErrorKind::InvalidArgument
        }
        (None, Some("server_error" | "internal_error")) => ErrorKind::Internal,
        (
            None,
            Some("overloaded_error" | "service_unavailable" | "server_is_overloaded" | "slow_down"),
        ) => ErrorKind::Unavailable,
        (None, _) => ErrorKind::Unknown,
    };
    let text = match status {
        Some(status) => error_text(provider, status, &report.report_text(), &|_| None),
        None => format!("{provider}: {}", report.report_text()),
    };
    let mut error = Error::new(kind, text);
    if let Some(wait) = parse_retry_delay(&report.message) {
        error = error.with_retry_after(wait);
    }
    if report.is_quota() {
        error = error.with_retryable(false);
    }
    report.with_report(error, status)
}

impl ErrorReport {
    fn report_text(&self) -> String {
        match &self.upstream_message {
            Some(behind) if !self.message.contains(behind.as_str()) => {
                format!("{}: {behind}", self.message)
            }
            _ => self.message.clone(),
        }
    }

    fn is_quota(&self) -> bool {
        let is =
            |value: &Value| value == "insufficient_quota" || value == "billing_hard_limit_reached";
        is(&self.code) || is(&self.kind)
    }

    /// Returns the HTTP status in the body.
    fn report_status(&self, error: &Value) -> Option<u16> {
        let number = |value: &Value| match value {
            Value::String(text) => text.parse().ok(),
            value => value.as_u64().and_then(|code| u16::try_from(code).ok()),
        };
        let own = error.get("status_code").or_else(|| error.get("status"));
        let status = own.and_then(number).or_else(|| number(&self.code));
        status.filter(|status| (400..600).contains(status))
    }

    fn with_report(self, error: Error, status: Option<u16>) -> Error {
        with_reported(error, [("status", json!(status)), ("code", self.code), ("type", self.kind)])
    }
}

/// Extracts the parts of an error report from the body.
fn parse_report(body: &Value) -> ErrorReport {
    // Gemini's server sends a list.
    let body = body.as_array().and_then(|list| list.first()).unwrap_or(body);
    let field = |key: &str| body.get(key).unwrap_or(&Value::Null);
    let report = match field("error") {
        Value::String(message) => ErrorReport {
            message: message.clone(),
            code: field("code").clone(),
            ..ErrorReport::default()
        },
        Value::Object(error) => {
            let own = |key: &str| error.get(key).unwrap_or(&Value::Null);
            let behind = own("metadata").get("raw").map(message_text);
            let message = ["message", "error", "detail"].map(own).into_iter().map(message_text);
            ErrorReport {
                message: message.into_iter().find(|it| !it.is_empty()).unwrap_or_default(),
                code: own("code").clone(),
                kind: own("type").clone(),
                upstream_message: behind.filter(|behind| !behind.is_empty()),
            }
        }
        _ => {
            let message =
                ["message", "detail", "msg", "error_message"].map(|key| message_text(field(key)));
            ErrorReport {
                message: message.into_iter().find(|it| !it.is_empty()).unwrap_or_default(),
                code: field("code").clone(),
                kind: field("type").clone(),
                upstream_message: None,
            }
        }
    };
    if report.message.is_empty() && !body.is_null() {
        return ErrorReport { message: body.to_string(), ..report };
    }
    report
}

/// Returns the text of a body that is not JSON. An HTML page is omitted because it adds nothing to the status, except
/// for status 404: the page then shows that the URL is probably not the URL of the API.
fn plain_text(status: u16, body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let text = text.trim();
    if is_web_page(text.as_bytes()) && status != 404 { String::new() } else { text.to_owned() }
}

/// Returns the delay in a message, such as "try again in 1.574s", "in 120ms", "in 1m3s" or "in 20
/// seconds".
fn parse_retry_delay(message: &str) -> Option<Duration> {
    let message = message.to_ascii_lowercase();
    let start = ["try again in ", "retry in ", "retry after "]
        .iter()
        .find_map(|phrase| message.find(phrase).map(|at| at + phrase.len()))?;
    let mut rest = &message[start..];
    let mut wait = None;
    loop {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let Ok(number) = rest[..digits].parse::<f64>() else { return wait };
        let after = rest[digits..].trim_start();
        let letters = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let unit = match &after[..letters] {
            "ms" | "milliseconds" => 0.001,
            "s" | "sec" | "second" | "seconds" => 1.0,
            "m" | "min" | "minute" | "minutes" => 60.0,
            "h" | "hour" | "hours" => 3600.0,
            _ => return wait,
        };
        wait = Some(
            wait.unwrap_or(Duration::ZERO).saturating_add(duration_from_seconds(number * unit)?),
        );
        rest = &after[letters..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_error(status: u16, body: &str) -> Error {
        decode_error("test", status, &|_| None, body.as_bytes())
    }

    #[test]
    fn every_shape_has_its_message() {
        for body in [
            r#"{"error": {"message": "no", "type": "t", "code": 401}}"#,
            r#"{"error": "no"}"#,
            r#"{"code": "invalid-argument", "error": "no"}"#,
            r#"{"code": "1500", "message": "no", "object": "error"}"#,
            r#"{"detail": "no"}"#,
            r#"[{"error": {"message": "no"}}]"#,
            "no",
        ] {
            assert_eq!(parse_error(404, body).to_string(), "test: HTTP 404: no", "{body}");
        }
        assert_eq!(parse_error(502, "<html>").to_string(), "test: HTTP 502");
        assert_eq!(
            parse_error(422, r#"{"detail": [{"msg": "x"}]}"#).to_string(),
            r#"test: HTTP 422: [{"msg":"x"}]"#
        );
        assert_eq!(parse_error(400, r#"{"a": 1}"#).to_string(), r#"test: HTTP 400: {"a":1}"#);
        let behind =
            r#"{"error": {"message": "Provider returned error", "metadata": {"raw": "why"}}}"#;
        assert_eq!(
            parse_error(400, behind).to_string(),
            "test: HTTP 400: Provider returned error: why"
        );
        for odd in ["null", "[]", "7", r#"{"error": [1]}"#, r#"{"error": {"code": {}}}"#, ""] {
            assert_eq!(parse_error(400, odd).kind(), ErrorKind::InvalidArgument, "{odd}");
        }
    }

    #[test]
    fn used_up_quota_is_not_worth_another_try() {
        assert!(
            parse_error(
                429,
                r#"{"error": {"message": "slow down", "code": "rate_limit_exceeded"}}"#
            )
            .is_retryable()
        );
        assert!(
            !parse_error(429, r#"{"error": {"message": "pay", "type": "insufficient_quota"}}"#)
                .is_retryable()
        );
        assert!(!parse_error(402, "{}").is_retryable());
        let header = |name: &str| (name == "x-should-retry").then(|| "false".to_owned());
        assert!(!decode_error("test", 500, &header, b"").is_retryable());
        let header = |name: &str| (name == "x-should-retry").then(|| "true".to_owned());
        assert!(decode_error("test", 400, &header, b"").is_retryable());
    }

    #[test]
    fn message_may_name_the_wait() {
        let wait = |text: &str| parse_retry_delay(text).map(|wait| wait.as_millis());
        assert_eq!(wait("Please try again in 1.574s. Visit"), Some(1574));
        assert_eq!(wait("Please try again in 120ms."), Some(120));
        assert_eq!(wait("Try again in 1m3s"), Some(63_000));
        assert_eq!(wait("Please retry in 20 seconds"), Some(20_000));
        assert_eq!(wait("try again in 1.5.2s"), None);
        assert_eq!(wait("try again in a while"), None);
        assert_eq!(wait("try again in 99999999999999999999999h"), None);
    }

    #[test]
    fn error_within_an_answer_has_the_status_of_its_body() {
        let kind = |error: Value| error_in_response("test", &error).kind();
        assert_eq!(kind(json!({"message": "no", "status_code": 400})), ErrorKind::InvalidArgument);
        assert_eq!(kind(json!({"message": "no", "code": "503"})), ErrorKind::Unavailable);
        assert_eq!(
            kind(json!({"message": "no", "code": "rate_limit_exceeded"})),
            ErrorKind::ResourceExhausted
        );
        assert_eq!(kind(json!("no")), ErrorKind::Unknown);
        assert_eq!(error_in_response("test", &json!("no")).to_string(), "test: no");
    }
}
