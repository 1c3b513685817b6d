//! Responses, each serialized once into the buffer that is sent.

use bytes::Bytes;
use rmcp::model::{ErrorCode, ErrorData, RequestId};
use serde::Serialize;

/// The response to a request.
#[derive(Debug, PartialEq)]
pub(crate) struct Reply {
    /// One complete message.
    pub(crate) bytes: Bytes,
    /// The error code, if this is an error response.
    pub(crate) error: Option<ErrorCode>,
    /// Whether this is the result of a failed tool call.
    pub(crate) tool_failed: bool,
}

/// The initial capacity of a response buffer, so that typical responses grow it at most once.
const USUAL_BYTES: usize = 512;

/// Builds the response to a request.
pub(crate) fn result_reply(id: &RequestId, result: &impl Serialize) -> Reply {
    let mut out = begin_reply(id);
    match serde_json::to_writer(&mut out, result) {
        Ok(()) => finish_reply(out),
        Err(error) => {
            self::error_reply(Some(id), &ErrorData::internal_error(error.to_string(), None))
        }
    }
}

/// Builds the response from a result that is already JSON.
pub(crate) fn encoded_reply(id: &RequestId, result: &[u8]) -> Reply {
    let mut out = begin_reply(id);
    out.extend_from_slice(result);
    finish_reply(out)
}

/// Builds the response with `result`. If the result is larger than `limit` bytes, calls `instead` with its size and
/// returns that response.
pub(crate) fn limited_reply(
    id: &RequestId,
    result: &impl Serialize,
    limit: usize,
    instead: impl FnOnce(usize) -> Reply,
) -> Reply {
    let mut out = begin_reply(id);
    let start = out.len();
    let written = serde_json::to_writer(&mut out, result);
    let size = out.len() - start;
    if written.is_ok() && size <= limit {
        return finish_reply(out);
    }
    drop(out);
    instead(size)
}

/// Builds an error response. Pass no id for a message that could not be parsed.
pub(crate) fn error_reply(id: Option<&RequestId>, error: &ErrorData) -> Reply {
    #[derive(Serialize)]
    struct Error<'a> {
        jsonrpc: &'static str,
        // rmcp's type omits an unknown id, but JSON-RPC requires `null`.
        id: Option<&'a RequestId>,
        error: &'a ErrorData,
    }
    Reply {
        bytes: encode_message(&Error { jsonrpc: "2.0", id, error }),
        error: Some(error.code),
        tool_failed: false,
    }
}

fn begin_reply(id: &RequestId) -> Vec<u8> {
    let mut out = Vec::with_capacity(USUAL_BYTES);
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    // Serializing a number or a string to a vector does not fail.
    let _ = serde_json::to_writer(&mut out, id);
    out.extend_from_slice(br#","result":"#);
    out
}

fn finish_reply(mut out: Vec<u8>) -> Reply {
    out.push(b'}');
    Reply { bytes: out.into(), error: None, tool_failed: false }
}

/// Builds a message of any kind.
pub(super) fn encode_message(message: &impl Serialize) -> Bytes {
    serde_json::to_vec(message).unwrap_or_default().into()
}
