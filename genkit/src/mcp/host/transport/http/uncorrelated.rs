//! Errors that a server gives to a request without saying which.

use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, RequestId};
use rmcp::transport::streamable_http_client::{StreamableHttpError, StreamableHttpPostResponse};

use super::failure::{At, Failure};

/// Gives an error that names no request of ours to the one it answers: rmcp would drop it, and the
/// request would wait in vain. In a session it means that the session is lost: servers that were
/// started again say so with `"id": null`.
pub(crate) fn correlated(
    answer: StreamableHttpPostResponse,
    asked: Option<&RequestId>,
    at: At<'_>,
) -> Result<StreamableHttpPostResponse, StreamableHttpError<Failure>> {
    let (asked, mut error, session) = match (asked, answer) {
        (Some(asked), StreamableHttpPostResponse::Json(JsonRpcMessage::Error(error), session))
            if !error.id.as_ref().is_some_and(|id| same(id, asked)) =>
        {
            (asked, error, session)
        }
        (_, answer) => return Ok(answer),
    };
    if at.session {
        return Err(StreamableHttpError::Client(at.lost(&error.error.message)));
    }
    error.id = Some(asked.clone());
    Ok(StreamableHttpPostResponse::Json(JsonRpcMessage::Error(error), session))
}

/// The request that an error may be for.
pub(crate) fn request_id(message: &ClientJsonRpcMessage) -> Option<RequestId> {
    match message {
        JsonRpcMessage::Request(request) => Some(request.id.clone()),
        _ => None,
    }
}

/// Servers may give `"7"` for `7`, as rmcp accepts it.
fn same(id: &RequestId, asked: &RequestId) -> bool {
    match (id, asked) {
        (RequestId::String(text), RequestId::Number(number)) => text.parse() == Ok(*number),
        (id, asked) => id == asked,
    }
}
