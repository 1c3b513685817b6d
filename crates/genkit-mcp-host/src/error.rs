//! Errors of hosts, and how an error of one server names it.

use std::io;

use super::limits::MAX_KEY;
use genkit_core::internal::error::Topic;
use genkit_core::{Error as PublicError, ErrorKind};

/// An error of one server: its text begins with "the MCP server `key`".
pub(crate) trait OfServer: Topic + Sized {
    fn of(self, server: &str) -> PublicError {
        let text = format!("the MCP server `{server}` {self}");
        PublicError::from(self).with_message(text)
    }
}

impl<T: Topic> OfServer for T {}

/// An error that names no server, as one of this server.
pub(crate) fn of_server(server: &str, error: PublicError) -> PublicError {
    let text = format!("the MCP server `{server}`: {error}");
    PublicError::new(error.kind(), text).with_source(error)
}

/// The errors of hosts and clients.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(
        "the key of an MCP server has 1 to {MAX_KEY} characters and no `/` or `*`, since it stands \
         before the names of its tools: `{0}`"
    )]
    Key(String),
    #[error("two MCP servers have the key `{0}`: give one of them another")]
    KeyTwice(String),
    #[error("`{name}` names no server: write `key/{what}`")]
    NoServerNamed { what: &'static str, name: String },
    #[error(
        "the MCP servers `{server}` and `{other}` both offer the resource `{uri}`: \
         `.client(\"{server}\")?.read_resource(..)` says which one is meant"
    )]
    ResourceOfTwo { uri: String, server: String, other: String },
    #[error("has no subscriptions")]
    NoSubscriptions,
    #[error("completes no arguments")]
    NoCompletions,
    #[error(transparent)]
    File(genkit_mcp_servers_file::Error),
    #[cfg(not(feature = "http"))]
    #[error("{0}: servers over HTTP need genkit's feature `mcp-host-http`")]
    NoHttp(String),
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::ResourceOfTwo { .. } => ErrorKind::FailedPrecondition,
            Self::Key(_) | Self::KeyTwice(_) | Self::NoServerNamed { .. } => {
                ErrorKind::InvalidArgument
            }
            Self::File(error) => match error.kind() {
                io::ErrorKind::NotFound => ErrorKind::NotFound,
                io::ErrorKind::PermissionDenied => ErrorKind::PermissionDenied,
                _ => ErrorKind::InvalidArgument,
            },
            Self::NoSubscriptions | Self::NoCompletions => ErrorKind::Unimplemented,
            #[cfg(not(feature = "http"))]
            Self::NoHttp(_) => ErrorKind::Unimplemented,
        }
    }
}
