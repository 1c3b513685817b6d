//! Errors of catalogs: lists, what is left out of them, actions without a host.

use std::time::Duration;

use crate::limits::{LIST_TIMEOUT, MAX_DEFINITION};
use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("it is not there")]
    NotThere,
    #[error("it did not say what it has within {0:?}")]
    Slow(Duration),
    #[error("its list could not be read")]
    ReaderPanicked,
    #[error("the MCP host of this action was dropped: keep it as long as it is used")]
    HostDropped,
    #[error(
        "the tool `{tool}` of the MCP server `{one}` and that of `{other}` have one name, and the \
         model could reach only one of them: use `McpHost`, which puts a key before each name"
    )]
    SameName { tool: String, one: String, other: String },
    #[error("the tool `{tool}` of `{server}` asks questions: use `McpHost` for it")]
    AsksQuestions { tool: String, server: String },
    // The texts from here on follow the name of the server.
    #[error("did not finish `{0}` within {LIST_TIMEOUT:?}")]
    Unfinished(&'static str),
    #[error("did not answer `{target}` within {limit:?}")]
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

/// Why an item of a list is left out.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LeftOut {
    #[error("there is one of this name before it")]
    NameTwice,
    #[error("`{0}` is no text")]
    NameNoText(&'static str),
    #[error("`{0}` is empty, too long, or has control characters")]
    Name(&'static str),
    #[error("`{0}` has characters that cannot be seen")]
    Hidden(&'static str),
    #[error("it is another than it was, and nobody has accepted it: `.accept_tool(..)` does")]
    Held,
    #[error("it is {0} bytes long; {MAX_DEFINITION} are read")]
    TooLarge(usize),
    #[error("`inputSchema` is no object")]
    SchemaNoObject,
    #[error("`inputSchema` is for {0}, not for an object")]
    SchemaOfOther(serde_json::Value),
    #[error("{0}")]
    Template(String),
}
