//! Uncorrelated errors: responses that lack the id of their request.

use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, RequestId};
use rmcp::transport::streamable_http_client::{StreamableHttpError, StreamableHttpPostResponse};

use crate::transport::http_client::error::HttpError;
use crate::transport::http_client::explain::RequestTarget;
use crate::transport::request_id::is_same_id;

/// Assigns an error without a known id to the request that was posted; rmcp would drop the error, and the request would
/// wait forever. In a session, such an error means that the session is lost: a restarted server responds with `"id":
/// null`.
pub(crate) fn correlate_error(
    answer: StreamableHttpPostResponse,
    request: Option<&RequestId>,
    at: RequestTarget<'_>,
) -> Result<StreamableHttpPostResponse, StreamableHttpError<HttpError>> {
    let (request, mut error, session) = match (request, answer) {
        (
            Some(request),
            StreamableHttpPostResponse::Json(JsonRpcMessage::Error(error), session),
        ) if !error.id.as_ref().is_some_and(|id| is_same_id(id, request)) => {
            (request, error, session)
        }
        (_, answer) => return Ok(answer),
    };
    if at.session {
        return Err(StreamableHttpError::Client(at.session_lost(&error.error.message)));
    }
    error.id = Some(request.clone());
    Ok(StreamableHttpPostResponse::Json(JsonRpcMessage::Error(error), session))
}

/// Returns the id of a message that is a request.
pub(crate) fn request_id(message: &ClientJsonRpcMessage) -> Option<RequestId> {
    match message {
        JsonRpcMessage::Request(request) => Some(request.id.clone()),
        _ => None,
    }
}
