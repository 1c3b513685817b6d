//! Errors of hosts, and the attribution of errors to a server.

use std::io;

use super::limits::MAX_KEY;
use genkit_core::internal::error::Topic;
use genkit_core::{Error as PublicError, ErrorKind};

/// An error from one server, whose text continues "the MCP server `key`".
pub(crate) trait ServerErrorExt: Topic + Sized {
    fn for_server(self, server: &str) -> PublicError {
        let text = format!("the MCP server `{server}` {self}");
        PublicError::from(self).with_message(text)
    }
}

impl<T: Topic> ServerErrorExt for T {}

/// Attributes a general error to a server.
pub(crate) fn attribute_to_server(server: &str, error: PublicError) -> PublicError {
    let text = format!("the MCP server `{server}`: {error}");
    PublicError::new(error.kind(), text).with_source(error)
}

/// Errors of hosts and clients.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(
        "`{0}` is not a valid server key; use 1 to {MAX_KEY} characters, without `/`, `*` or control characters"
    )]
    Key(String),
    #[error("duplicate server key `{0}`; rename one of the servers")]
    KeyTwice(String),
    #[error("`{name}` does not start with a server key; expected `key/{what}`")]
    UnknownServerKey { what: &'static str, name: String },
    #[error(
        "the MCP servers `{server}` and `{other}` both offer the resource `{uri}`; \
         choose one with `.client(\"{server}\")?.read_resource(..)`"
    )]
    ResourceOfTwo { uri: String, server: String, other: String },
    #[error("does not support subscriptions")]
    SubscriptionsUnsupported,
    #[error("does not support completion")]
    CompletionUnsupported,
    #[error(transparent)]
    File(genkit_mcp_servers_file::Error),
    #[cfg_attr(feature = "http", expect(unused, reason = "the feature is enabled"))]
    #[error("{0}: HTTP servers require genkit's `mcp-host-http` feature")]
    HttpDisabled(String),
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::ResourceOfTwo { .. } => ErrorKind::FailedPrecondition,
            Self::Key(_) | Self::KeyTwice(_) | Self::UnknownServerKey { .. } => {
                ErrorKind::InvalidArgument
            }
            Self::File(error) => match error.kind() {
                io::ErrorKind::NotFound => ErrorKind::NotFound,
                io::ErrorKind::PermissionDenied => ErrorKind::PermissionDenied,
                _ => ErrorKind::InvalidArgument,
            },
            Self::SubscriptionsUnsupported | Self::CompletionUnsupported => {
                ErrorKind::Unimplemented
            }
            Self::HttpDisabled(_) => ErrorKind::Unimplemented,
        }
    }
}
