//! Errors of catalogs: lists, omitted items, and actions without a host.

use std::time::Duration;

use crate::limits::{LIST_TIMEOUT, MAX_DEFINITION};
use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("it is not connected")]
    NotThere,
    #[error("it did not return its list within {0:?}")]
    Slow(Duration),
    #[error("the task that reads its list panicked")]
    ReaderPanicked,
    #[error("the MCP host of this action was dropped; keep the host as long as the action is used")]
    HostDropped,
    #[error(
        "duplicate tool name `{tool}` at the MCP servers `{one}` and `{other}`; use `McpHost`, \
         which prefixes each name with the key of its server"
    )]
    SameName { tool: String, one: String, other: String },
    #[error("the tool `{tool}` of `{server}` asks the user questions; use `McpHost` for it")]
    AsksQuestions { tool: String, server: String },
    // The texts from here on follow the name of the server.
    #[error("did not finish `{0}` within {LIST_TIMEOUT:?}")]
    Unfinished(&'static str),
    #[error("did not respond to `{target}` within {limit:?}")]
    NoAnswer { target: String, limit: Duration },
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotThere => ErrorKind::Unavailable,
            Self::Slow(_) | Self::Unfinished(_) | Self::NoAnswer { .. } => {
                ErrorKind::DeadlineExceeded
            }
            Self::ReaderPanicked => ErrorKind::Internal,
            Self::HostDropped => ErrorKind::FailedPrecondition,
            Self::SameName { .. } => ErrorKind::AlreadyExists,
            Self::AsksQuestions { .. } => ErrorKind::Unimplemented,
        }
    }
}

/// Why an item of a list is omitted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ItemError {
    #[error("an earlier item has the same name")]
    NameTwice,
    #[error("`{0}` is not a string")]
    NameNoText(&'static str),
    #[error("`{0}` is empty, too long, or contains control characters")]
    Name(&'static str),
    #[error("`{0}` contains invisible characters")]
    Hidden(&'static str),
    #[error("its definition changed; accept the new one with `.accept_tool(..)`")]
    Held,
    #[error("it is {0} bytes long, but the limit is {MAX_DEFINITION}")]
    TooLarge(usize),
    #[error("`inputSchema` is not an object")]
    SchemaNoObject,
    #[error("`inputSchema` has the type {0}, not `object`")]
    SchemaOfOther(serde_json::Value),
    #[error("{0}")]
    Template(String),
}
