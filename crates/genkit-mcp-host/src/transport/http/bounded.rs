//! Limits on messages from a server: the values are counted, and the numbers checked, before a message is parsed.

use futures_util::stream::StreamExt as _;
use rmcp::model::{ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::StreamableHttpPostResponse;
use serde_json::{Value, json};

use super::request_scope::{EventStream, RequestScope};
use crate::transport::stdio::pipe::ResultFormat;
use genkit_core::internal::bounded_json::check_numbers;
use genkit_mcp::internal::jsonrpc::{Envelope, MAX_VALUES, Member, has_more_values};

/// Limits the messages of a streamed response.
pub(super) fn limit_response(
    answer: StreamableHttpPostResponse,
    request: Option<RequestId>,
    format: ResultFormat,
    scope: &RequestScope,
) -> StreamableHttpPostResponse {
    match answer {
        StreamableHttpPostResponse::Sse(stream, session) => {
            StreamableHttpPostResponse::Sse(limit_events(stream, request, format, scope), session)
        }
        other => other,
    }
}

/// If a response is not read, replaces it with an error for the request that the stream belongs to. Drops any other
/// message that is not read.
pub(super) fn limit_events(
    events: EventStream,
    request: Option<RequestId>,
    format: ResultFormat,
    scope: &RequestScope,
) -> EventStream {
    let scope = scope.clone();
    Box::pin(events.map(move |event| {
        let mut event = event?;
        let data = event.data.as_ref();
        if let Some((data, problem)) =
            data.and_then(|data| Some((data, find_problem(data, format)?)))
        {
            scope.warn_skipped(&problem);
            let request = request.as_ref().filter(|_| !has_method(data));
            event.data = request.map(|id| error_response(id, &problem).to_string());
        }
        Ok(event)
    }))
}

/// Returns why a message is not read, before it is parsed. Numbers in list results are not checked, because they are
/// limits in schemas.
pub(super) fn find_problem(message: &str, format: ResultFormat) -> Option<String> {
    if has_more_values(message.as_bytes(), MAX_VALUES) {
        return Some(format!("the response has more than {MAX_VALUES} values"));
    }
    let changed = check_numbers(message.as_bytes()).err()?;
    let is_checked = format == ResultFormat::Untyped || has_method(message);
    is_checked.then(|| format!("the response was not read: {changed}"))
}

/// Returns whether a message is a request or a notification.
fn has_method(message: &str) -> bool {
    let envelope = serde_json::from_str::<Envelope<'_>>(message);
    envelope.is_ok_and(|envelope| matches!(envelope.method, Member::Text(_)))
}

/// Returns the error that replaces a rejected response.
pub(super) fn error_response(request: &RequestId, message: &str) -> Value {
    let error = json!({ "code": -32600, "message": message });
    json!({ "jsonrpc": "2.0", "id": request, "error": error })
}

/// Returns the error that replaces a response that is not read.
pub(super) fn unread_response(request: RequestId, message: String) -> ServerJsonRpcMessage {
    JsonRpcMessage::error(ErrorData::invalid_request(message, None), Some(request))
}
