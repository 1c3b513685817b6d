//! Uncorrelated errors: a server answers a request without its id.

use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, RequestId};
use rmcp::transport::streamable_http_client::{StreamableHttpError, StreamableHttpPostResponse};

use crate::transport::http_client::explain::RequestTarget;
use crate::transport::http_client::failure::HttpFailure;
use crate::transport::request_id::means;

/// Gives an error that names no request of ours to the one it answers: rmcp would drop it, and the
/// request would wait in vain. In a session it means that the session is lost: servers that were
/// started again answer with `"id": null`.
pub(crate) fn correlated(
    answer: StreamableHttpPostResponse,
    request: Option<&RequestId>,
    at: RequestTarget<'_>,
) -> Result<StreamableHttpPostResponse, StreamableHttpError<HttpFailure>> {
    let (request, mut error, session) = match (request, answer) {
        (
            Some(request),
            StreamableHttpPostResponse::Json(JsonRpcMessage::Error(error), session),
        ) if !error.id.as_ref().is_some_and(|id| means(id, request)) => (request, error, session),
        (_, answer) => return Ok(answer),
    };
    if at.session {
        return Err(StreamableHttpError::Client(at.session_lost(&error.error.message)));
    }
    error.id = Some(request.clone());
    Ok(StreamableHttpPostResponse::Json(JsonRpcMessage::Error(error), session))
}

/// The request that an error may be for.
pub(crate) fn request_id(message: &ClientJsonRpcMessage) -> Option<RequestId> {
    match message {
        JsonRpcMessage::Request(request) => Some(request.id.clone()),
        _ => None,
    }
}
