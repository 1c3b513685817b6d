//! Posting messages to a server. Responses are bounded, and checked before parsing.

use std::borrow::Cow;

use reqwest::header::{
    ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE,
};
use reqwest::{RequestBuilder, Response, StatusCode};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, ServerJsonRpcMessage,
};
use rmcp::transport::common::http_header::{
    EVENT_STREAM_MIME_TYPE, HEADER_SESSION_ID, JSON_MIME_TYPE,
};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, StreamableHttpError,
    StreamableHttpPostResponse,
};

use super::bounded::{find_problem, unread_response};
use super::long_events::read_events;
use super::request_scope::RequestScope;
use super::uncorrelated::request_id;
use crate::transport::stdio::pipe::ResultFormat;
use genkit_schema::internal::parse_leniently;

pub(super) const ACCEPTED: &str = "text/event-stream, application/json";

/// How much of the body of an error response is read, in bytes. Default is 64 KiB.
const MAX_ERROR_BODY: usize = 64 * 1024;

type Answer = Result<StreamableHttpPostResponse, StreamableHttpError<reqwest::Error>>;

/// Builds the request that carries `message`.
pub(super) fn build_request(
    request: RequestBuilder,
    message: &ClientJsonRpcMessage,
    session: Option<&str>,
) -> Result<RequestBuilder, StreamableHttpError<reqwest::Error>> {
    // Replaces headers of the same name that a program has set.
    let mut own = HeaderMap::new();
    own.insert(ACCEPT, HeaderValue::from_static(ACCEPTED));
    own.insert(CONTENT_TYPE, HeaderValue::from_static(JSON_MIME_TYPE));
    let request = request.headers(own).body(serde_json::to_vec(message)?);
    Ok(match session {
        Some(session) => request.header(HEADER_SESSION_ID, session),
        None => request,
    })
}

/// Reads the response to `message`. Each message in the response may be at most `limit` bytes long.
pub(super) async fn read_response(
    response: Response,
    message: &ClientJsonRpcMessage,
    has_session: bool,
    limit: usize,
    scope: &RequestScope,
) -> Answer {
    let status = response.status();
    if let Some(refusal) = authorization_error(&response) {
        return Err(refusal);
    }
    if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
        return Ok(StreamableHttpPostResponse::Accepted);
    }
    if status == StatusCode::NOT_FOUND && has_session {
        return Err(StreamableHttpError::SessionExpired);
    }
    if !status.is_success() {
        return read_error(response, message, has_session).await;
    }
    let id = request_id(message);
    if id.is_none() && response.content_length() == Some(0) {
        return Ok(StreamableHttpPostResponse::Accepted);
    }
    let opened = header_text(&response, HEADER_SESSION_ID);
    if has_content_type(&response, EVENT_STREAM_MIME_TYPE) {
        let events = read_events(response, limit, id);
        return Ok(StreamableHttpPostResponse::Sse(events, opened));
    }
    if !has_content_type(&response, JSON_MIME_TYPE) {
        return Err(StreamableHttpError::UnexpectedContentType(content_type(&response)));
    }
    let Some(body) = read_body(response, limit).await? else {
        return Err(StreamableHttpError::ResponseBodyTooLarge { max_size: limit });
    };
    parse_document(&body, message, opened, scope)
}

/// Parses a response that is a single JSON document.
fn parse_document(
    body: &[u8],
    message: &ClientJsonRpcMessage,
    session: Option<String>,
    scope: &RequestScope,
) -> Answer {
    let (request, format) = (request_id(message), ResultFormat::of_message(message));
    if let Some(problem) = find_problem(&String::from_utf8_lossy(body), format) {
        scope.warn_skipped(&problem);
        return Ok(match request {
            Some(id) => StreamableHttpPostResponse::Json(unread_response(id, problem), session),
            None => StreamableHttpPostResponse::Accepted,
        });
    }
    match parse_leniently(body) {
        Ok(message) => Ok(StreamableHttpPostResponse::Json(message, session)),
        // No request waits for a response.
        Err(_) if request.is_none() => Ok(StreamableHttpPostResponse::Accepted),
        Err(error) => Err(error.into()),
    }
}

/// Returns the error from a server that requires authorization, or more scopes.
pub(super) fn authorization_error(
    response: &Response,
) -> Option<StreamableHttpError<reqwest::Error>> {
    let challenge = header_text(response, WWW_AUTHENTICATE.as_str())?;
    match response.status() {
        StatusCode::UNAUTHORIZED => {
            Some(StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge)))
        }
        StatusCode::FORBIDDEN => {
            let scope = challenge_scope(&challenge);
            let error = InsufficientScopeError::new(challenge, scope);
            Some(StreamableHttpError::InsufficientScope(error))
        }
        _ => None,
    }
}

/// Returns the parameter `scope` of a challenge, quoted or not.
fn challenge_scope(challenge: &str) -> Option<String> {
    let at = challenge.to_ascii_lowercase().find("scope=")? + "scope=".len();
    let value = challenge.get(at..)?;
    let value = match value.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"')?.0,
        None => value.split([',', ';', ' ', '\t']).next().filter(|value| !value.is_empty())?,
    };
    Some(value.to_owned())
}

/// Translates an error response into an MCP error or a status.
async fn read_error(
    response: Response,
    message: &ClientJsonRpcMessage,
    has_session: bool,
) -> Answer {
    let status = response.status();
    let (is_json, opened) =
        (has_content_type(&response, JSON_MIME_TYPE), header_text(&response, HEADER_SESSION_ID));
    let busy = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
    let busy = busy.then(|| {
        HttpStatusError::new(status.as_u16(), header_text(&response, RETRY_AFTER.as_str()))
    });
    let busy = match busy {
        Some(error) if !is_json || status == StatusCode::TOO_MANY_REQUESTS => {
            return Err(error.into());
        }
        busy => busy,
    };
    let body = match read_body(response, MAX_ERROR_BODY).await {
        Ok(Some(body)) => body,
        Ok(None) => {
            let too_large = StreamableHttpError::ResponseBodyTooLarge { max_size: MAX_ERROR_BODY };
            return Err(busy.map_or(too_large, Into::into));
        }
        Err(_) => Vec::new(),
    };
    let said = match serde_json::from_slice::<ServerJsonRpcMessage>(&body) {
        Ok(JsonRpcMessage::Error(error)) => Some(error),
        _ => None,
    };
    let wants_access = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    // Servers without the newest protocol reject it in different ways; rmcp then tries the older protocol.
    if let JsonRpcMessage::Request(request) = message
        && matches!(request.request, ClientRequest::DiscoverRequest(_))
        && status.is_client_error()
        && !wants_access
        && !has_session
    {
        let error = said.map(|said| said.error).unwrap_or_else(|| {
            let text = String::from_utf8_lossy(&body);
            ErrorData::invalid_request(format!("HTTP {status}: {text}"), None)
        });
        let error = JsonRpcMessage::error(error, Some(request.id.clone()));
        return Ok(StreamableHttpPostResponse::Json(error, None));
    }
    match (said, busy) {
        (Some(error), _) if is_json && !wants_access => {
            Ok(StreamableHttpPostResponse::Json(JsonRpcMessage::Error(error), opened))
        }
        (_, Some(busy)) => Err(busy.into()),
        _ => {
            let text = format!("HTTP {status}: {}", String::from_utf8_lossy(&body));
            Err(StreamableHttpError::UnexpectedServerResponse(Cow::Owned(text)))
        }
    }
}

/// Reads the body; returns `None` if it is longer than `limit`.
async fn read_body(
    mut response: Response,
    limit: usize,
) -> Result<Option<Vec<u8>>, reqwest::Error> {
    if response.content_length().is_some_and(|length| length > limit as u64) {
        return Ok(None);
    }
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await? {
        if piece.len() > limit - body.len() {
            return Ok(None);
        }
        body.extend_from_slice(&piece);
    }
    Ok(Some(body))
}

pub(super) fn header_text(response: &Response, name: &str) -> Option<String> {
    response.headers().get(name)?.to_str().ok().map(str::to_owned)
}

pub(super) fn content_type(response: &Response) -> Option<String> {
    let value = response.headers().get(CONTENT_TYPE)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

pub(super) fn has_content_type(response: &Response, kind: &str) -> bool {
    let found = content_type(response).unwrap_or_default();
    let essence = found.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case(kind)
}

#[cfg(test)]
mod tests {
    use super::challenge_scope;

    #[test]
    fn scope_of_a_challenge_is_found_quoted_or_not() {
        let found = |challenge| challenge_scope(challenge);
        assert_eq!(found("Bearer Scope=\"a b\", error=\"x\"").as_deref(), Some("a b"));
        assert_eq!(found("Bearer scope=a:b, error=x").as_deref(), Some("a:b"));
        for none in ["Bearer", "Bearer scope=", "Bearer scope=\"a", "Bearer realm=x"] {
            assert_eq!(found(none), None, "{none}");
        }
    }
}
