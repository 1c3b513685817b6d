//! Errors from reading a server's lists and calling its actions.

use std::time::Duration;

use crate::limits::{LIST_TIMEOUT, MAX_DEFINITION};
use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("it is not connected")]
    NotConnected,
    #[error("it did not return its list within {0:?}")]
    ListTimeout(Duration),
    #[error("the task that reads its list panicked")]
    ReaderPanicked,
    #[error(
        "the MCP host of this action was dropped; keep the host alive for as long as the action is in use"
    )]
    HostDropped,
    #[error(
        "the MCP servers `{one}` and `{other}` both have a tool named `{tool}`; use `McpHost`, \
         which prefixes each name with the key of its server"
    )]
    DuplicateToolName { tool: String, one: String, other: String },
    #[error(
        "the tool `{tool}` of `{server}` asks a question or starts a task, which `peer_tools` does not support; \
         connect with `McpHost` instead"
    )]
    AsksQuestions { tool: String, server: String },
    // The messages below are appended to the server's name, such as "`files` did not finish ..".
    #[error("did not finish `{0}` within {LIST_TIMEOUT:?}")]
    Unfinished(&'static str),
    #[error("did not respond to `{target}` within {limit:?}")]
    ResponseTimeout { target: String, limit: Duration },
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::NotConnected => ErrorKind::Unavailable,
            Self::ListTimeout(_) | Self::Unfinished(_) | Self::ResponseTimeout { .. } => {
                ErrorKind::DeadlineExceeded
            }
            Self::ReaderPanicked => ErrorKind::Internal,
            Self::HostDropped => ErrorKind::FailedPrecondition,
            Self::DuplicateToolName { .. } => ErrorKind::AlreadyExists,
            Self::AsksQuestions { .. } => ErrorKind::Unimplemented,
        }
    }
}

/// The reason why an item of a list is omitted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ItemError {
    #[error("an earlier item has the same name")]
    DuplicateName,
    #[error("`{0}` is not a string")]
    NameNotString(&'static str),
    #[error("`{0}` is empty, too long, or contains control characters")]
    Name(&'static str),
    #[error("`{0}` contains invisible characters")]
    InvisibleCharacters(&'static str),
    #[error("its definition changed; accept the new definition with `.accept_tool(..)`")]
    DefinitionChanged,
    #[error("it is {0} bytes long, but the limit is {MAX_DEFINITION}")]
    TooLarge(usize),
    #[error("`inputSchema` is not an object")]
    SchemaNotObject,
    #[error("`inputSchema` has the type {0}, not `object`")]
    SchemaTypeNotObject(serde_json::Value),
    #[error("{0}")]
    Template(String),
}
