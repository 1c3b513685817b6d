//! The errors of the test client.

use genkit_core::ErrorKind;
use genkit_core::internal::error::{BoxError, Topic};
use genkit_mcp::internal::error_status;
use rmcp::model::ErrorCode;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("arguments must be a JSON object")]
    ArgumentsNoObject,
    #[error("the blob of a resource is not valid base64")]
    Blob(#[source] base64::DecodeError),
    #[error("a resource has neither text nor a blob; read it with `raw_resource`")]
    UnknownContents,
    #[error("the client could not connect")]
    Connect(#[source] BoxError),
    #[error("{code}: {message}")]
    Protocol { code: i32, message: String, data: Option<serde_json::Value> },
    #[error("{0}")]
    Transport(String),
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::ArgumentsNoObject => ErrorKind::InvalidArgument,
            Self::Protocol { code, data, .. } => {
                error_status::kind_of_error(ErrorCode(*code), data.as_ref())
            }
            Self::Blob(_) | Self::UnknownContents => ErrorKind::Internal,
            Self::Connect(_) | Self::Transport(_) => ErrorKind::Unavailable,
        }
    }

    fn details(&self) -> Option<serde_json::Value> {
        match self {
            Self::Protocol { data, .. } => data.clone(),
            _ => None,
        }
    }
}
