//! Session requests without a message: opening the server's own stream, and ending the session.

use reqwest::header::{ACCEPT, RETRY_AFTER};
use reqwest::{RequestBuilder, Response, StatusCode};
use rmcp::transport::common::http_header::{
    EVENT_STREAM_MIME_TYPE, HEADER_LAST_EVENT_ID, HEADER_SESSION_ID, JSON_MIME_TYPE,
};
use rmcp::transport::streamable_http_client::{HttpStatusError, StreamableHttpError};

use super::long_events::read_events;
use super::post::{ACCEPTED, authorization_error, content_type, has_content_type, header_text};
use super::request_scope::EventStream;

type Outcome<T> = Result<T, StreamableHttpError<reqwest::Error>>;

/// Builds the request for the server's own stream, which resumes after `last_event` if the stream broke.
pub(super) fn stream_request(
    request: RequestBuilder,
    session: Option<&str>,
    last_event: Option<&str>,
) -> RequestBuilder {
    let mut request = request.header(ACCEPT, ACCEPTED);
    if let Some(session) = session {
        request = request.header(HEADER_SESSION_ID, session);
    }
    match last_event {
        Some(event) => request.header(HEADER_LAST_EVENT_ID, event),
        None => request,
    }
}

/// Returns the events of an opened stream, each of at most `limit` bytes.
pub(super) fn stream_response(response: Response, limit: usize) -> Outcome<EventStream> {
    if response.status() == StatusCode::METHOD_NOT_ALLOWED {
        return Err(StreamableHttpError::ServerDoesNotSupportSse);
    }
    let response = check_response(response)?;
    // A single message is read like one event, because some servers declare JSON and send events, or the reverse.
    if !has_content_type(&response, EVENT_STREAM_MIME_TYPE)
        && !has_content_type(&response, JSON_MIME_TYPE)
    {
        return Err(StreamableHttpError::UnexpectedContentType(content_type(&response)));
    }
    Ok(read_events(response, limit, None))
}

/// Checks the response to a request that ends the session. A server may lack support for this.
pub(super) fn check_end_response(response: Response) -> Outcome<()> {
    if response.status() == StatusCode::METHOD_NOT_ALLOWED {
        tracing::debug!("an MCP server does not support ending sessions");
        return Ok(());
    }
    check_response(response).map(drop)
}

fn check_response(response: Response) -> Outcome<Response> {
    if let Some(refusal) = authorization_error(&response) {
        return Err(refusal);
    }
    let status = response.status();
    if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() {
        let after = header_text(&response, RETRY_AFTER.as_str());
        return Err(HttpStatusError::new(status.as_u16(), after).into());
    }
    Ok(response.error_for_status()?)
}
