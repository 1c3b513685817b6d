//! Messages as they go out: each is written once, into the buffer that is sent.

use bytes::Bytes;
use rmcp::model::{ErrorCode, ErrorData, RequestId};
use serde::Serialize;
use serde_json::Value;

use crate::content;
use genkit_core::internal::registry::RegistryChange;

/// The answer of a request.
#[derive(Debug, PartialEq)]
pub(crate) struct Reply {
    /// One whole message.
    pub(crate) bytes: Bytes,
    /// The code of its error, if it is one.
    pub(crate) error: Option<ErrorCode>,
    /// Whether it is the result of a tool that failed.
    pub(crate) tool_failed: bool,
}

/// Room for the usual answer, so that its buffer grows once at most.
const USUAL_BYTES: usize = 512;

/// The answer of a request.
pub(crate) fn result(id: &RequestId, result: &impl Serialize) -> Reply {
    let mut out = begin(id);
    match serde_json::to_writer(&mut out, result) {
        Ok(()) => end(out),
        Err(error) => self::error(Some(id), &ErrorData::internal_error(error.to_string(), None)),
    }
}

/// The answer of a request whose result is JSON already.
pub(crate) fn encoded(id: &RequestId, result: &[u8]) -> Reply {
    let mut out = begin(id);
    out.extend_from_slice(result);
    end(out)
}

/// The answer of a request with `result`, or with what `instead` gives for its size where it has
/// more than `limit` bytes.
pub(crate) fn limited(
    id: &RequestId,
    result: &impl Serialize,
    limit: usize,
    instead: impl FnOnce(usize) -> Reply,
) -> Reply {
    let mut out = begin(id);
    let start = out.len();
    let written = serde_json::to_writer(&mut out, result);
    let size = out.len() - start;
    if written.is_ok() && size <= limit {
        return end(out);
    }
    drop(out);
    instead(size)
}

/// The error of a request; without an id that of a message which could not be read.
pub(crate) fn error(id: Option<&RequestId>, error: &ErrorData) -> Reply {
    #[derive(Serialize)]
    struct Error<'a> {
        jsonrpc: &'static str,
        // Not rmcp's own type: that one leaves an unknown id out, JSON-RPC wants `null`.
        id: Option<&'a RequestId>,
        error: &'a ErrorData,
    }
    Reply {
        bytes: written(&Error { jsonrpc: "2.0", id, error }),
        error: Some(error.code),
        tool_failed: false,
    }
}

/// A notification.
pub(crate) fn notification(method: &str, params: &impl Serialize) -> Bytes {
    #[derive(Serialize)]
    struct Notification<'a, P> {
        jsonrpc: &'static str,
        method: &'a str,
        params: &'a P,
    }
    written(&Notification { jsonrpc: "2.0", method, params })
}

/// A request of the server.
pub(crate) fn request(id: i64, method: &str, params: Value) -> Bytes {
    let version = ("jsonrpc", "2.0".into());
    let members = vec![version, ("id", id.into()), ("method", method.into()), ("params", params)];
    content::object(members).to_string().into()
}

/// The notification of a change, on a `subscriptions/listen` stream with the id of that request.
pub(crate) fn change(change: &RegistryChange, subscription: Option<&RequestId>) -> Bytes {
    #[derive(Serialize)]
    struct Params<'a> {
        #[serde(skip_serializing_if = "Option::is_none")]
        uri: Option<&'a str>,
        #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
        meta: Option<Meta<'a>>,
    }
    #[derive(Serialize)]
    struct Meta<'a> {
        #[serde(rename = "io.modelcontextprotocol/subscriptionId")]
        subscription: &'a RequestId,
    }
    #[derive(Serialize)]
    struct Bare {
        jsonrpc: &'static str,
        method: &'static str,
    }
    let (method, uri) = match change {
        RegistryChange::Tools => ("notifications/tools/list_changed", None),
        RegistryChange::Prompts => ("notifications/prompts/list_changed", None),
        RegistryChange::Resources => ("notifications/resources/list_changed", None),
        RegistryChange::ResourceUpdated(uri) => {
            ("notifications/resources/updated", Some(uri.as_ref()))
        }
    };
    let meta = subscription.map(|subscription| Meta { subscription });
    if uri.is_none() && meta.is_none() {
        return written(&Bare { jsonrpc: "2.0", method });
    }
    notification(method, &Params { uri, meta })
}

fn begin(id: &RequestId) -> Vec<u8> {
    let mut out = Vec::with_capacity(USUAL_BYTES);
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    // Neither a number nor a string fails, and a vector takes all.
    let _ = serde_json::to_writer(&mut out, id);
    out.extend_from_slice(br#","result":"#);
    out
}

fn end(mut out: Vec<u8>) -> Reply {
    out.push(b'}');
    Reply { bytes: out.into(), error: None, tool_failed: false }
}

fn written(message: &impl Serialize) -> Bytes {
    serde_json::to_vec(message).unwrap_or_default().into()
}
