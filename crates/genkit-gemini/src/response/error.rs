//! Error responses of the Gemini API.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::NAME;
use genkit_core::{Error, ErrorKind};
use genkit_model::internal::http::{
    duration_from_seconds, error_text, kind_of_status, message_text, retry_after,
};
use genkit_model::internal::wire::HeaderLookup;

/// An error as the API sends it.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct ErrorBody {
    code: Value,
    message: Value,
    status: Value,
    details: Value,
}

#[derive(Deserialize)]
struct ErrorEnvelope {
    error: ErrorBody,
}

/// Decodes the error of a response with a status of 400 or more. The response to a streaming call
/// is a list of errors.
pub(crate) fn decode_error(status: u16, headers: HeaderLookup<'_>, body: &[u8]) -> Error {
    // Parsed separately, because a list could also be parsed as the fields of a struct.
    let found = match body.trim_ascii_start().first() {
        Some(b'[') => {
            serde_json::from_slice::<Vec<ErrorEnvelope>>(body).ok().and_then(|mut all| all.pop())
        }
        _ => serde_json::from_slice::<ErrorEnvelope>(body).ok(),
    };
    match found {
        Some(failure) => failure.error.into_error(Some(status), headers),
        None => {
            let text = String::from_utf8_lossy(body);
            let text = error_text(NAME, status, &text, headers);
            with_wait(Error::new(kind_of_status(status), text), retry_after(headers))
        }
    }
}

impl ErrorBody {
    /// Converts the error. `http` is `None` if the error was part of a successful response.
    pub(super) fn into_error(self, http: Option<u16>, headers: HeaderLookup<'_>) -> Error {
        let code = self.code.as_u64().and_then(|code| u16::try_from(code).ok());
        let status = http.or(code).unwrap_or(500);
        let kind = self.status.as_str().and_then(kind_of_name);
        let mut error = Error::new(
            kind.unwrap_or_else(|| kind_of_status(code.unwrap_or(status))),
            error_text(NAME, status, &message_text(&self.message), headers),
        );
        if let Some(reason) =
            self.detail_field("google.rpc.ErrorInfo", "reason").and_then(Value::as_str)
        {
            error = error.with_details(json!({ "reason": reason }));
        }
        if self.is_daily() {
            error = error.with_retryable(false);
        }
        let text = self.detail_field("google.rpc.RetryInfo", "retryDelay").and_then(Value::as_str);
        let delay = text
            .and_then(|text| text.strip_suffix('s')?.parse().ok())
            .and_then(duration_from_seconds);
        with_wait(error, retry_after(headers).or(delay))
    }

    fn detail_field(&self, kind: &str, name: &str) -> Option<&Value> {
        let is_kind = |detail: &&Value| {
            detail.get("@type").and_then(Value::as_str).is_some_and(|own| own.ends_with(kind))
        };
        self.details.as_array()?.iter().find(is_kind)?.get(name)
    }

    /// Returns whether a daily quota is exhausted, so that a retry on the same day is useless.
    fn is_daily(&self) -> bool {
        let violations = self.detail_field("google.rpc.QuotaFailure", "violations");
        let ids = violations.and_then(Value::as_array).into_iter().flatten();
        ids.filter_map(|violation| violation.get("quotaId")?.as_str())
            .any(|id| id.contains("PerDay"))
    }
}

fn with_wait(error: Error, wait: Option<std::time::Duration>) -> Error {
    match wait {
        Some(wait) => error.with_retry_after(wait),
        None => error,
    }
}

fn kind_of_name(name: &str) -> Option<ErrorKind> {
    Some(match name {
        "CANCELLED" => ErrorKind::Cancelled,
        "INVALID_ARGUMENT" => ErrorKind::InvalidArgument,
        "DEADLINE_EXCEEDED" => ErrorKind::DeadlineExceeded,
        "NOT_FOUND" => ErrorKind::NotFound,
        "ALREADY_EXISTS" => ErrorKind::AlreadyExists,
        "PERMISSION_DENIED" => ErrorKind::PermissionDenied,
        "UNAUTHENTICATED" => ErrorKind::Unauthenticated,
        "RESOURCE_EXHAUSTED" => ErrorKind::ResourceExhausted,
        "FAILED_PRECONDITION" => ErrorKind::FailedPrecondition,
        "ABORTED" => ErrorKind::Aborted,
        "OUT_OF_RANGE" => ErrorKind::OutOfRange,
        "UNIMPLEMENTED" => ErrorKind::Unimplemented,
        "INTERNAL" => ErrorKind::Internal,
        "UNAVAILABLE" => ErrorKind::Unavailable,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn error_of(status: u16, body: &Value) -> Error {
        decode_error(status, &|_| None, body.to_string().as_bytes())
    }

    #[test]
    fn status_of_the_body_is_finer_than_that_of_http() {
        let error =
            json!({"error": {"code": 400, "message": "not here", "status": "FAILED_PRECONDITION"}});
        assert_eq!(error_of(400, &error).kind(), ErrorKind::FailedPrecondition);
        assert_eq!(error_of(400, &json!([error])).kind(), ErrorKind::FailedPrecondition);
        assert_eq!(error_of(400, &error).to_string(), "gemini: HTTP 400: not here");
    }

    #[test]
    fn wait_is_read_from_the_body_and_from_headers() {
        let body = json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "details": [
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.4s"},
        ]}});
        assert_eq!(error_of(429, &body).retry_after(), Some(Duration::from_secs_f64(34.4)));
        assert!(error_of(429, &body).is_retryable());
        let error =
            decode_error(503, &|name| (name == "retry-after").then(|| "3".into()), b"<html>");
        assert_eq!(error.retry_after(), Some(Duration::from_secs(3)));
        assert_eq!(error.to_string(), "gemini: HTTP 503: the response is a web page");
    }

    #[test]
    fn quota_of_the_day_is_not_worth_another_try() {
        let body = json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "details": [
            {"@type": "type.googleapis.com/google.rpc.QuotaFailure",
             "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]},
        ]}});
        assert!(!error_of(429, &body).is_retryable());
    }

    #[test]
    fn odd_bodies_are_errors_too() {
        for body in [json!({"error": {}}), json!({"error": {"code": "x", "message": 7}}), json!([])]
        {
            assert_eq!(error_of(404, &body).kind(), ErrorKind::NotFound, "{body}");
        }
        assert_eq!(error_of(429, &json!({"error": {"details": {"@type": 1}}})).retry_after(), None);
        assert_eq!(decode_error(502, &|_| None, b"").to_string(), "gemini: HTTP 502");
    }
}
