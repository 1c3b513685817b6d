//! Errors of MCP Apps.

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

// The messages are appended to the server's name.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("declares the page `{uri}` for `{tool}`, but the URI does not start with `ui://`")]
    Scheme { tool: String, uri: String },
    #[error("returned no HTML with the type `text/html;profile=mcp-app` for the page `{uri}`")]
    InvalidPage { uri: String },
    #[error("returned a page of {bytes} bytes for `{uri}`; the limit is {max}")]
    TooLarge { uri: String, bytes: usize, max: usize },
    #[error("has no tool `{0}` that its pages may call")]
    ToolHiddenFromPages(String),
    #[error(
        "has the tool `{0}`, which needs the user's approval, so the pages of this server cannot call it"
    )]
    NeedsApproval(String),
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Scheme { .. } | Self::InvalidPage { .. } => ErrorKind::Internal,
            Self::TooLarge { .. } => ErrorKind::ResourceExhausted,
            Self::ToolHiddenFromPages(_) | Self::NeedsApproval(_) => ErrorKind::PermissionDenied,
        }
    }
}
