//! The errors of a server's command line.

use std::io;

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("the arguments of `--call` are no JSON object: write them as '{{\"key\": \"value\"}}'")]
    CallArguments { source: serde_json::Error },
    #[error("{said}")]
    Refused { said: String },
    #[error("`{tool}` answered with an error: {said}")]
    ToolFailed { tool: String, said: String },
    #[error("the server ended before it answered")]
    Ended,
    #[error("nothing can be printed")]
    Output { source: io::Error },

    #[error("{0}")]
    File(genkit_mcp_servers_file::Error),
    #[error(
        "`{name}` is no name that every client takes: use letters, digits, `-` and `_`, at most 64"
    )]
    ServerName { name: String },
    #[error("`--env` needs a name: `KEY` or `KEY=VALUE`")]
    VariableName,
    #[error(
        "the variable `{key}` is not set here, or is no text: set it, or write `--env {key}=VALUE`"
    )]
    NoVariable { key: String },
    #[error(
        "the environment does not say where your folder is: name the file with `--config FILE`"
    )]
    NoHome,
    #[error("it cannot be found out where this program is")]
    NoProgram { source: io::Error },
    #[error("it cannot be found out which folder this is")]
    NoFolder { source: io::Error },
    #[error("a path or an argument is no Unicode, and cannot stand in JSON")]
    NotText,

    #[error(
        "`npx` cannot be started: the MCP Inspector needs Node.js 22 or newer (https://nodejs.org)"
    )]
    NoNpx { source: io::Error },
    #[error("the MCP Inspector ended with the exit code {code}")]
    InspectorFailed { code: i32 },
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::CallArguments { .. }
            | Self::Refused { .. }
            | Self::ServerName { .. }
            | Self::VariableName
            | Self::NotText => ErrorKind::InvalidArgument,
            Self::ToolFailed { .. } | Self::InspectorFailed { .. } => ErrorKind::Unknown,
            Self::Ended => ErrorKind::Unavailable,
            Self::Output { .. } | Self::NoProgram { .. } => ErrorKind::Internal,
            Self::File(_)
            | Self::NoVariable { .. }
            | Self::NoHome
            | Self::NoFolder { .. }
            | Self::NoNpx { .. } => ErrorKind::FailedPrecondition,
        }
    }
}
