//! Responses: bounded in size, with JSON as values, other text as text, and errors that a model can act on.

use std::time::Duration;

use genkit::{Error, ErrorKind, Result};
use genkit_core::internal::bounded_json::parse_bounded;
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Response, StatusCode};
use serde_json::Value;

use crate::body::{essence, is_json};
use crate::request::OperationRequest;
use crate::text::sanitize;

/// The maximum length of a response body in an error, in characters. Default is 1,000.
const MAX_SHOWN: usize = 1000;

/// A response of the API.
pub(crate) struct HttpResponse {
    pub(crate) status: StatusCode,
    media_type: String,
    retry_after: Option<Duration>,
    body: Vec<u8>,
    is_cut: bool,
}

impl HttpResponse {
    /// Reads the body up to `limit` bytes.
    pub(crate) async fn read(mut response: Response, limit: usize) -> Result<Self, reqwest::Error> {
        let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        let media_type = header(CONTENT_TYPE).unwrap_or_default().to_owned();
        let seconds = header(RETRY_AFTER).and_then(|value| value.trim().parse().ok());
        let mut answer = Self {
            status: response.status(),
            media_type,
            retry_after: seconds.map(Duration::from_secs),
            body: Vec::new(),
            is_cut: false,
        };
        while let Some(piece) = response.chunk().await? {
            let room = limit - answer.body.len();
            answer.body.extend_from_slice(&piece[..piece.len().min(room)]);
            if piece.len() > room {
                answer.is_cut = true;
                break;
            }
        }
        Ok(answer)
    }

    fn is_text(&self) -> bool {
        let essence = essence(&self.media_type);
        let known = ["xml", "yaml", "javascript", "x-www-form-urlencoded", "x-ndjson"];
        is_json(&essence)
            || essence.starts_with("text/")
            || known.iter().any(|known| essence.ends_with(known))
            || (essence.is_empty() && std::str::from_utf8(&self.body).is_ok())
    }
}

/// Returns the value of a successful response.
pub(crate) fn success(
    route: &OperationRequest,
    answer: HttpResponse,
    limit: usize,
) -> Result<Value> {
    if answer.is_cut {
        return Err(Error::new(
            ErrorKind::ResourceExhausted,
            format!(
                "the response to {} is larger than {limit} bytes; request less, for example with a filter or a smaller page",
                route.label
            ),
        )
        .with_retryable(false));
    }
    if answer.body.is_empty() {
        return Ok(answer.status.to_string().into());
    }
    if (is_json(&answer.media_type) || answer.media_type.is_empty())
        && let Ok(value) = parse_bounded(&answer.body)
    {
        return Ok(value);
    }
    if !answer.is_text() {
        return Ok(format!(
            "{}: {} bytes of {}, which is not text and is not shown",
            answer.status,
            answer.body.len(),
            sanitize(&answer.media_type, 100)
        )
        .into());
    }
    Ok(String::from_utf8_lossy(&answer.body).into_owned().into())
}

/// Returns the error of a response that is not successful.
pub(crate) fn failure(
    route: &OperationRequest,
    answer: &HttpResponse,
    redacted: impl Fn(&str) -> String,
) -> Error {
    let status = answer.status;
    let (kind, advice) = match status.as_u16() {
        400 | 405 | 406 | 411 | 413..=415 | 422 => (ErrorKind::InvalidArgument, ""),
        401 => (
            ErrorKind::Unauthenticated,
            ". The program's credentials were rejected, which no argument can fix",
        ),
        403 => (ErrorKind::PermissionDenied, ""),
        404 | 410 => (ErrorKind::NotFound, ""),
        408 | 504 => (ErrorKind::DeadlineExceeded, ""),
        409 | 412 | 423 | 428 => (ErrorKind::FailedPrecondition, ""),
        429 => (ErrorKind::ResourceExhausted, ". Too many calls; wait before the next call"),
        501 => (ErrorKind::Unimplemented, ""),
        500 => (ErrorKind::Internal, ". The error is in the server, not in the arguments"),
        502 | 503 | 505.. => {
            (ErrorKind::Unavailable, ". The error is in the server, not in the arguments")
        }
        _ => (ErrorKind::FailedPrecondition, ""),
    };
    let mut text = format!("{} returned {status}", route.label);
    if answer.is_text() && !answer.body.is_empty() {
        // Redact before truncating, because a secret may extend beyond the limit.
        let body = redacted(&String::from_utf8_lossy(&answer.body));
        text = format!("{text}: {}", sanitize(&body, MAX_SHOWN));
    }
    text.push_str(advice);
    let error = Error::new(kind, text);
    match answer.retry_after {
        Some(wait) => error.with_retry_after(wait),
        None => error,
    }
}
