//! Responses of flow servers: results and errors in every form that Genkit's servers use.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Response;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::Error as E;
use genkit_core::internal::bounded_json::{parse_bounded, parse_response};
use genkit_core::internal::redact::{Secret, redact_secrets, redact_secrets_in_json};
use genkit_core::internal::status;
use genkit_core::internal::visible;
use genkit_core::{Error, Result};
use genkit_http_client::internal::net::root_cause;
use genkit_schema::internal::placed;
use genkit_schema::internal::truncate::excerpt;

/// The maximum size of a plain response, or of an event of a stream, in bytes. Default is 64 MiB.
pub(super) const MAX_FLOW_ANSWER: usize = 64 * 1024 * 1024;

/// The maximum number of bytes read from an error response. Default is 1 MiB.
const MAX_FLOW_ERROR: usize = 1024 * 1024;

/// The maximum length of a message taken from an error response, in characters.
const MAX_MESSAGE: usize = 2_000;

/// The server, as named in errors.
#[derive(Clone)]
pub(super) struct FlowHost {
    pub(super) host: String,
    /// The credentials of the call, which a server may repeat in its response.
    pub(super) secrets: Arc<[Secret]>,
}

impl FlowHost {
    /// Prepares text from the server for an error: redacts credentials, truncates it and escapes
    /// it.
    fn sanitize_text(&self, text: &str) -> String {
        let text = redact_secrets(text, self.secrets.iter());
        visible::escape_prose(&excerpt(&text, MAX_MESSAGE)).into_owned()
    }

    /// Removes the credentials from a result or a chunk.
    pub(super) fn redact_value(&self, value: Value) -> Value {
        match self.secrets.is_empty() {
            true => value,
            false => redact_secrets_in_json(value, self.secrets.iter()),
        }
    }

    pub(super) fn slow(&self, limit: Duration) -> Error {
        E::Slow { host: self.host.clone(), limit }.into()
    }

    pub(super) fn invalid_response_error(&self, why: &str) -> Error {
        E::InvalidResponse { host: self.host.clone(), why: why.to_owned() }.into()
    }

    pub(super) fn closed(&self, error: &reqwest::Error) -> Error {
        E::Closed { host: self.host.clone(), cause: root_cause(error) }.into()
    }
}

/// Returns the response if its status is a success, and otherwise the error that it contains.
pub(super) async fn check_status(server: &FlowHost, mut response: Response) -> Result<Response> {
    let status = response.status().as_u16();
    match status {
        200 => Ok(response),
        204 => Err(E::StreamNotFound { host: server.host.clone() }.into()),
        300..400 => Err(E::Redirect { host: server.host.clone(), status }.into()),
        _ => {
            let mut body = Vec::new();
            // An incomplete body is sufficient, since the status determines the error.
            while let Ok(Some(piece)) = response.chunk().await {
                body.extend_from_slice(&piece);
                if body.len() > MAX_FLOW_ERROR {
                    break;
                }
            }
            Err(parse_failure(server, &body, status))
        }
    }
}

/// Reads the error in a body, which can be JSON or text.
fn parse_failure(server: &FlowHost, body: &[u8], status: u16) -> Error {
    if let Ok(error @ Value::Object(_)) = parse_bounded(body) {
        return parse_remote_error(server, &error, status);
    }
    let text = String::from_utf8_lossy(body);
    let text = server.sanitize_text(text.trim());
    let kind = status::kind_from_http(status);
    let message = if text.is_empty() { format!("HTTP {status}") } else { text };
    E::Failed { kind, message, details: None }.into()
}

/// Reads the error in `{"status", "message", "details"?}`, which can be wrapped in `{"error": ..}`.
pub(super) fn parse_remote_error(server: &FlowHost, error: &Value, http: u16) -> Error {
    let mut error = error;
    // Some servers wrap the error in an `error` field, and some wrap it twice.
    for _ in 0..2 {
        error = error.get("error").filter(|inner| inner.is_object()).unwrap_or(error);
    }
    let text = |key: &str| error.get(key).and_then(Value::as_str).map(str::trim);
    let named = text("status").and_then(|name| status::kind_from_name(&name.replace(' ', "_")));
    let kind = named.unwrap_or_else(|| status::kind_from_http(http));
    let message = text("message").or_else(|| error.get("error")?.as_str()).unwrap_or_default();
    let message = match message.is_empty() {
        true => format!("the flow failed with {}", status::status_name(kind)),
        false => server.sanitize_text(message),
    };
    let details = error.get("details").filter(|details| !details.is_null());
    let details = details.map(|details| server.redact_value(details.clone()));
    E::Failed { kind, message, details }.into()
}

/// Reads the result of a plain response.
pub(super) async fn read_plain_result(server: &FlowHost, mut response: Response) -> Result<Value> {
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|error| server.closed(&error))? {
        body.extend_from_slice(&piece);
        if body.len() > MAX_FLOW_ANSWER {
            let (host, limit) = (server.host.clone(), MAX_FLOW_ANSWER);
            return Err(E::TooLong { host, limit }.into());
        }
    }
    let answer: Value = parse_response(&body)
        .map_err(|error| server.invalid_response_error(&format!("it is not JSON: {error}")))?;
    take_result(server, answer)
}

/// Returns the result in `{"result": ..}`. A flow that returns nothing can respond with `{}`.
pub(super) fn take_result(server: &FlowHost, answer: Value) -> Result<Value> {
    let Value::Object(mut answer) = answer else {
        return Err(server.invalid_response_error("it is not a JSON object"));
    };
    if answer.get("error").is_some_and(|error| !error.is_null()) {
        return Err(parse_remote_error(server, &Value::Object(answer), 500));
    }
    match answer.remove("result") {
        Some(result) => Ok(server.redact_value(result)),
        None if answer.is_empty() => Ok(Value::Null),
        None => Err(server.invalid_response_error("`result` is missing")),
    }
}

/// Deserializes a value to the requested type.
pub(super) fn deserialize_as<T: DeserializeOwned>(what: &'static str, value: Value) -> Result<T> {
    placed::read(&value).map_err(|misfit| E::Misfit { what, why: misfit.to_string() }.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use genkit_core::ErrorKind;
    use serde_json::json;

    fn server() -> FlowHost {
        let secret = Secret::new("the-token-of-the-call", "<redacted>");
        FlowHost { host: "h".to_owned(), secrets: Arc::from([secret]) }
    }

    #[test]
    fn credentials_that_a_server_repeats_are_not_in_its_error() {
        for body in [
            r#"{"message": "bad the-token-of-the-call", "details": {"the-token-of-the-call": 1}}"#,
            r#"{"error": {"message": "bad THE-TOKEN-of-the-call", "details": ["dGhlLXRva2VuLW9mLXRoZS1jYWxs"]}}"#,
            "bad the%2Dtoken%2Dof%2Dthe%2Dcall",
        ] {
            let error = parse_failure(&server(), body.as_bytes(), 400);
            let shown = format!("{error:?} {:?}", error.details()).to_lowercase();
            assert!(shown.contains("bad <redacted>"), "{shown}");
            assert!(!shown.contains("token") && !shown.contains("dghl"), "{shown}");
        }
    }

    /// An error for a mismatched type quotes the value, so credentials must be redacted before.
    #[test]
    fn credentials_that_a_server_repeats_are_not_in_its_result() {
        let answer = json!({"result": {"echo": "Bearer the-token-of-the-call", "n": 1}});
        let result = take_result(&server(), answer).unwrap();
        assert_eq!(result, json!({"echo": "Bearer <redacted>", "n": 1}));
        let answer = json!({"result": "the-token-of-the-call"});
        let misfit =
            deserialize_as::<u32>("result", take_result(&server(), answer).unwrap()).unwrap_err();
        assert!(misfit.to_string().contains("<redacted>"), "{misfit}");
        assert!(!misfit.to_string().contains("the-token"), "{misfit}");
    }

    #[test]
    fn text_of_a_server_is_escaped_in_errors() {
        let error = parse_failure(&server(), b"\x1b]0;x\x07 \xe2\x80\xae Allow? [y/N]", 500);
        assert!(!error.to_string().contains(['\x1b', '\x07', '\u{202e}']), "{error:?}");
        assert!(error.to_string().contains("Allow?"), "{error}");
    }

    #[test]
    fn results_with_many_values_are_refused() {
        let list = format!("{{\"result\":[{}0]}}", "[0],".repeat(500_000));
        let error = parse_response::<Value>(list.as_bytes()).unwrap_err();
        assert!(error.to_string().contains("more than 1000000 values"), "{error}");
    }

    #[test]
    fn errors_are_read_in_every_form() {
        for (body, status, kind, message) in [
            (r#"{"status":"NOT_FOUND","message":"no note"}"#, 404, ErrorKind::NotFound, "no note"),
            (
                r#"{"status":"INVALID ARGUMENT","message":"m"}"#,
                400,
                ErrorKind::InvalidArgument,
                "m",
            ),
            (r#"{"error":{"status":"ABORTED","message":"m"}}"#, 500, ErrorKind::Aborted, "m"),
            (
                r#"{"error":{"error":{"status":"ABORTED","message":"m"}}}"#,
                500,
                ErrorKind::Aborted,
                "m",
            ),
            (r#"{"error":"no"}"#, 403, ErrorKind::PermissionDenied, "no"),
            ("plain text\n", 409, ErrorKind::Aborted, "plain text"),
            ("", 502, ErrorKind::Internal, "HTTP 502"),
            ("[1]", 418, ErrorKind::Unknown, "[1]"),
            (r#"{"code":5}"#, 404, ErrorKind::NotFound, "the flow failed with NOT_FOUND"),
        ] {
            let error = parse_failure(&server(), body.as_bytes(), status);
            assert_eq!((error.kind(), error.to_string().as_str()), (kind, message), "{body}");
        }
        let error =
            parse_remote_error(&server(), &json!({"message": "m", "details": {"id": 7}}), 400);
        assert_eq!(error.details(), Some(&json!({"id": 7})));
    }

    #[test]
    fn result_may_be_any_value_but_not_an_error() {
        let server = server();
        for (answer, result) in [
            (json!({"result": null}), Some(Value::Null)),
            (json!({}), Some(Value::Null)),
            (json!({"result": false, "x": 1}), Some(json!(false))),
            (json!({"result": 1, "error": {"status": "ABORTED"}}), None),
            (json!({"x": 1}), None),
            (json!([1]), None),
        ] {
            assert_eq!(take_result(&server, answer.clone()).ok(), result, "{answer}");
        }
        let misfit = deserialize_as::<Vec<u8>>("result", json!([1, "x"])).unwrap_err().to_string();
        assert!(misfit.contains("[1]") && misfit.contains("the result of the flow"), "{misfit}");
    }
}
