//! HTTP responses, with prebuilt headers.

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Response, StatusCode};
use rmcp::model::ErrorCode;

use super::streams::{AnswerBody, EventBody, Events};

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
const NO_CACHE: HeaderValue = HeaderValue::from_static("no-cache");

/// Prevents proxies from buffering events.
const NO_BUFFERING: (HeaderName, HeaderValue) =
    (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));

/// Returns a response with one message.
pub(super) fn json_response(status: StatusCode, message: Bytes) -> Response<AnswerBody> {
    let mut response = Response::new(AnswerBody::from(message));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}

/// Returns a response with only a status code.
pub(super) fn empty_response(status: StatusCode) -> Response<AnswerBody> {
    let mut response = Response::new(AnswerBody::empty());
    *response.status_mut() = status;
    response
}

/// Returns a stream of events.
pub(super) fn event_response(events: Events) -> Response<AnswerBody> {
    event_stream(EventBody::Events(Box::new(events)).into())
}

/// Returns a stream without events. An error would cause the client to repeat the request.
pub(super) fn empty_event_stream() -> Response<AnswerBody> {
    event_stream(AnswerBody::empty())
}

fn event_stream(body: AnswerBody) -> Response<AnswerBody> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, EVENTS);
    headers.insert(CACHE_CONTROL, NO_CACHE);
    let (name, value) = NO_BUFFERING;
    headers.insert(name, value);
    response
}

/// Returns the status code of a response. An error has an error status only if the request is self-contained.
pub(super) fn status_for(
    error: Option<ErrorCode>,
    is_described: bool,
    lacks_meta: bool,
) -> StatusCode {
    match error {
        Some(
            ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
            | ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY
            | ErrorCode::HEADER_MISMATCH,
        ) if is_described => StatusCode::BAD_REQUEST,
        Some(ErrorCode::INVALID_PARAMS) if is_described && lacks_meta => StatusCode::BAD_REQUEST,
        Some(ErrorCode::METHOD_NOT_FOUND) if is_described => StatusCode::NOT_FOUND,
        _ => StatusCode::OK,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn self_describing_errors_have_a_status() {
        let found = |code, described, lacks| status_for(Some(code), described, lacks).as_u16();
        assert_eq!(found(ErrorCode::METHOD_NOT_FOUND, true, false), 404);
        assert_eq!(found(ErrorCode::METHOD_NOT_FOUND, false, false), 200);
        assert_eq!(found(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION, true, false), 400);
        assert_eq!(found(ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY, true, false), 400);
        assert_eq!(found(ErrorCode::HEADER_MISMATCH, true, false), 400);
        assert_eq!(
            found(ErrorCode::INVALID_PARAMS, true, false),
            200,
            "the client can receive the error"
        );
        assert_eq!(found(ErrorCode::INVALID_PARAMS, true, true), 400);
        assert_eq!(found(ErrorCode::INTERNAL_ERROR, true, false), 200);
        assert_eq!(status_for(None, true, true), StatusCode::OK);
    }
}
