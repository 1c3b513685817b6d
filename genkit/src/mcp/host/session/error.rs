//! Why a request got no result, and what that says of the connection.

use rmcp::model::{ErrorCode, ErrorData};
use rmcp::service::ServiceError;

use super::notifications::Inbox;
use crate::error::{Error, ErrorKind};

/// A request without a result.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) error: Error,
    /// The connection, or the session, is of no use any more.
    pub(crate) lost: bool,
    /// The server never got the request, or refused to look at it: asking again is safe.
    pub(crate) unseen: bool,
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self { error, lost: false, unseen: false }
    }
}

/// `closed`: the whole connection has ended.
pub(crate) fn of(inbox: &Inbox, error: ServiceError, closed: bool) -> Fault {
    let server = &*inbox.server;
    let said = |kind, said: String| Error::new(kind, format!("the MCP server `{server}` {said}"));
    match error {
        ServiceError::McpError(error) => refused(server, &error).into(),
        // A stream that broke off is one request's own; the connection tells by itself that it ended.
        ServiceError::TransportClosed if !closed => {
            said(ErrorKind::Unavailable, "broke off its answer".to_owned()).into()
        }
        ServiceError::TransportClosed => {
            let why = inbox.fault().map(|why| format!(": {why}")).unwrap_or_default();
            let error = said(ErrorKind::Unavailable, format!("ended during the request{why}"));
            Fault { error, lost: true, unseen: false }
        }
        ServiceError::TransportSend(error) => sent(server, &error),
        ServiceError::Timeout { timeout } => {
            said(ErrorKind::DeadlineExceeded, format!("did not answer within {timeout:?}")).into()
        }
        ServiceError::Cancelled { .. } => {
            said(ErrorKind::Cancelled, "cancelled the request".to_owned()).into()
        }
        other => said(ErrorKind::Internal, format!("gave an answer of no use: {other}")).into(),
    }
}

/// What could not be sent, in words without the names of Rust types.
fn sent(server: &str, error: &rmcp::transport::DynamicTransportError) -> Fault {
    #[cfg(feature = "mcp-host-http")]
    if let Some(fault) = crate::mcp::host::transport::http::explain(error) {
        let said = format!("the MCP server `{server}`: {}", fault.error);
        let is_callers = fault.error.kind() == ErrorKind::InvalidArgument;
        return Fault {
            error: Error::new(fault.error.kind(), said).with_source(fault.error),
            // Headers that cannot be sent are the caller's fault alone.
            lost: fault.session_lost || (fault.unsent && !is_callers),
            unseen: fault.session_lost || (fault.unsent && !is_callers),
        };
    }
    let said = format!("the MCP server `{server}` cannot be written to: {}", error.error);
    Fault { error: Error::new(ErrorKind::Unavailable, said), lost: true, unseen: true }
}

/// A JSON-RPC error of a server as one of ours.
pub(crate) fn refused(server: &str, error: &ErrorData) -> Error {
    let kind = match error.code {
        ErrorCode::INVALID_PARAMS | ErrorCode::INVALID_REQUEST | ErrorCode::PARSE_ERROR => {
            ErrorKind::InvalidArgument
        }
        ErrorCode::METHOD_NOT_FOUND => ErrorKind::Unimplemented,
        ErrorCode::RESOURCE_NOT_FOUND => ErrorKind::NotFound,
        ErrorCode::INTERNAL_ERROR => ErrorKind::Internal,
        _ => ErrorKind::Unknown,
    };
    let said = format!("the MCP server `{server}` says: {} (code {})", error.message, error.code.0);
    let refused = Error::new(kind, said);
    match &error.data {
        Some(data) => refused.with_details(data.clone()),
        None => refused,
    }
}
