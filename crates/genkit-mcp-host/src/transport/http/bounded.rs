//! Limits on streams from a server: the values of a message are counted before it is parsed.

use std::sync::LazyLock;

use futures_util::stream::StreamExt as _;
use rmcp::model::{ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::StreamableHttpPostResponse;
use serde_json::{Value, json};

use super::request_scope::EventStream;
use crate::lifecycle::warning_budget::WarningBudget;
use genkit_mcp::internal::jsonrpc::{MAX_VALUES, has_more_values};

/// Limits the messages of a streamed response.
pub(super) fn limit_response(
    answer: StreamableHttpPostResponse,
    request: Option<RequestId>,
) -> StreamableHttpPostResponse {
    match answer {
        StreamableHttpPostResponse::Sse(stream, session) => {
            StreamableHttpPostResponse::Sse(limit_events(stream, request), session)
        }
        other => other,
    }
}

/// Replaces a message that has too many values with an error for the request that the stream belongs to; in a stream
/// without a request the message is dropped.
pub(super) fn limit_events(events: EventStream, request: Option<RequestId>) -> EventStream {
    Box::pin(events.map(move |event| {
        let mut event = event?;
        if event.data.as_ref().is_some_and(|data| has_more_values(data.as_bytes(), MAX_VALUES)) {
            warn_skipped();
            event.data = request.as_ref().map(|id| {
                let message = format!("the response has more than {MAX_VALUES} values");
                error_response(id, &message).to_string()
            });
        }
        Ok(event)
    }))
}

/// Logs that a message was skipped.
pub(super) fn warn_skipped() {
    static WARNINGS: LazyLock<WarningBudget> = LazyLock::new(WarningBudget::default);
    if let Some(warnings) = WARNINGS.count_warning() {
        tracing::warn!(
            warnings,
            "skipped a message from an MCP server with more than {MAX_VALUES} values"
        );
    }
}

/// Returns the error that replaces a rejected response.
pub(super) fn error_response(request: &RequestId, message: &str) -> Value {
    let error = json!({ "code": -32600, "message": message });
    json!({ "jsonrpc": "2.0", "id": request, "error": error })
}

/// Returns the error that replaces a response with too many values.
pub(super) fn too_many_values(request: RequestId) -> ServerJsonRpcMessage {
    let message = format!("the response has more than {MAX_VALUES} values");
    JsonRpcMessage::error(ErrorData::invalid_request(message, None), Some(request))
}
