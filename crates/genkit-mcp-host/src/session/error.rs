//! Errors of requests, and their effect on the connection.

use std::time::Duration;

use rmcp::model::ErrorData;
use rmcp::service::ServiceError;

use super::state::SessionState;
use crate::error::ServerErrorExt as _;
use genkit_core::internal::error::Topic;
use genkit_core::internal::visible;
use genkit_core::{Error as PublicError, ErrorKind};
use genkit_mcp::internal::error_status;
use genkit_schema::internal::size::json_size;

/// The largest details of an error, in bytes of JSON; larger ones are omitted. Default is 64 KiB.
const MAX_ERROR_DATA: usize = 64 * 1024;

/// Errors of one connection; each text follows the name of the server.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("ended the response early")]
    UnexpectedEnd,
    #[error("stopped during the request{}", cause.as_ref().map(|why| format!(": {why}")).unwrap_or_default())]
    Ended { cause: Option<String> },
    #[error("did not respond within {0:?}")]
    Timeout(Duration),
    #[error(
        "did not respond to `{target}` within {limit:?}; raise `.timeout(..)` if it needs longer"
    )]
    TooSlow { target: String, limit: Duration },
    #[error("cancelled the request")]
    Cancelled,
    #[error("returned an invalid response: {0}")]
    Useless(String),
    #[error("cannot be written to: {0}")]
    Unwritable(String),
    #[error("returned an error: {} (code {})", .0.message, .0.code.0)]
    Refused(ErrorData),
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::UnexpectedEnd | Self::Ended { .. } | Self::Unwritable(_) => {
                ErrorKind::Unavailable
            }
            Self::Timeout(_) | Self::TooSlow { .. } => ErrorKind::DeadlineExceeded,
            Self::Cancelled => ErrorKind::Cancelled,
            Self::Useless(_) => ErrorKind::Internal,
            Self::Refused(error) => error_status::kind_of_error(error.code, error.data.as_ref()),
        }
    }

    fn details(&self) -> Option<serde_json::Value> {
        match self {
            Self::Refused(error) => error.data.clone(),
            _ => None,
        }
    }
}

/// Redacts and escapes text from a server.
fn redact_and_escape(session: &SessionState, text: &str) -> String {
    visible::escape_prose(&session.redactor.redact_text(text)).into_owned()
}

/// Redacts a server's error.
pub(crate) fn redact_error_data(session: &SessionState, error: ErrorData) -> ErrorData {
    let message = redact_and_escape(session, &error.message);
    let data = error.data.filter(|data| json_size(data) <= MAX_ERROR_DATA);
    ErrorData::new(error.code, message, data.map(|data| session.redactor.redact_json(data)))
}

/// The error of a request.
#[derive(Debug)]
pub(crate) struct RequestError {
    pub(crate) error: PublicError,
    /// Whether the connection, or the session, is no longer usable.
    pub(crate) is_connection_lost: bool,
    /// Whether the server never received the request, or rejected it unread, so that a retry is safe.
    pub(crate) is_unseen: bool,
    /// The JSON-RPC error code that the server returned.
    pub(crate) code: Option<i32>,
}

impl From<PublicError> for RequestError {
    fn from(error: PublicError) -> Self {
        Self { error, is_connection_lost: false, is_unseen: false, code: None }
    }
}

impl RequestError {
    /// Translates an error of rmcp; `is_closed` is set if the whole connection has ended.
    pub(crate) fn new(session: &SessionState, error: ServiceError, is_closed: bool) -> Self {
        let code = match &error {
            ServiceError::McpError(error) => Some(error.code.0),
            _ => None,
        };
        let error = match error {
            ServiceError::McpError(error) => Error::Refused(redact_error_data(session, error)),
            // A broken stream affects only one request; the connection reports its own end.
            ServiceError::TransportClosed if !is_closed => Error::UnexpectedEnd,
            ServiceError::TransportClosed => {
                let error = Error::Ended { cause: session.end_cause() }.for_server(&session.server);
                return Self { is_connection_lost: true, ..error.into() };
            }
            ServiceError::TransportSend(error) => return Self::unsent_error(session, &error),
            ServiceError::Timeout { timeout } => Error::Timeout(timeout),
            ServiceError::Cancelled { .. } => Error::Cancelled,
            other => Error::Useless(redact_and_escape(session, &other.to_string())),
        };
        Self { code, ..error.for_server(&session.server).into() }
    }

    fn unsent_error(
        session: &SessionState,
        error: &rmcp::transport::DynamicTransportError,
    ) -> Self {
        let server = &*session.server;
        if let Some(fault) = crate::transport::http::explain_error(error) {
            // Invalid headers come from the caller and do not affect the connection.
            let is_callers = fault.error.kind() == ErrorKind::InvalidArgument;
            let is_lost = fault.session_lost || (fault.unsent && !is_callers);
            let error = session.redactor.redact_error(fault.error);
            let error = crate::error::attribute_to_server(server, error);
            return Self { is_connection_lost: is_lost, is_unseen: is_lost, ..error.into() };
        }
        let error = Error::Unwritable(redact_and_escape(session, &error.error.to_string()));
        let error = error.for_server(server);
        Self { is_connection_lost: true, is_unseen: true, ..error.into() }
    }
}
