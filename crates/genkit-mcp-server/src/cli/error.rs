//! The errors of a server's command line.

use std::io;

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(
        "the arguments of `--call` are not a JSON object; write them as '{{\"key\": \"value\"}}'"
    )]
    CallArguments { source: serde_json::Error },
    #[error("{said}")]
    Refused { said: String, kind: ErrorKind },
    #[error("{said}")]
    ToolFailed { said: String, kind: ErrorKind },
    #[error("the tool asks the user a question; run it in a terminal, or approve with `--yes`")]
    NeedsAnswers,
    #[error("cannot prompt in the terminal")]
    Terminal { source: io::Error },
    #[error("the server stopped before it responded")]
    Ended,
    #[error("cannot write to standard output")]
    Output { source: io::Error },

    #[error("{0}")]
    File(genkit_mcp_servers_file::Error),
    #[error("`{name}` is not a valid server name; use at most 64 letters, digits, `-` and `_`")]
    ServerName { name: String },
    #[error("`--env` has no variable name; write `KEY` or `KEY=VALUE`")]
    VariableName,
    #[error(
        "the variable `{key}` is not set or is not valid Unicode; set it, or write `--env {key}=VALUE`"
    )]
    UnknownVariable { key: String },
    #[error(
        "the environment does not contain your home directory; pass the file with `--config FILE`"
    )]
    HomeNotFound,
    #[error("cannot determine the path of this program")]
    ProgramPathUnknown { source: io::Error },
    #[error("cannot determine the current directory")]
    CurrentDirUnknown { source: io::Error },
    #[error("a path or an argument is not valid Unicode and cannot be written as JSON")]
    NotText,

    #[error(
        "`npx` cannot be started; the MCP Inspector needs Node.js 22 or newer (https://nodejs.org)"
    )]
    NpxNotFound { source: io::Error },
    #[error("the MCP Inspector exited with code {code}")]
    InspectorFailed { code: i32 },
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::CallArguments { .. }
            | Self::ServerName { .. }
            | Self::VariableName
            | Self::NotText => ErrorKind::InvalidArgument,
            Self::Refused { kind, .. } | Self::ToolFailed { kind, .. } => *kind,
            Self::InspectorFailed { .. } => ErrorKind::Unknown,
            Self::Ended => ErrorKind::Unavailable,
            Self::Output { .. } | Self::Terminal { .. } | Self::ProgramPathUnknown { .. } => {
                ErrorKind::Internal
            }
            Self::File(_)
            | Self::UnknownVariable { .. }
            | Self::HomeNotFound
            | Self::CurrentDirUnknown { .. }
            | Self::NeedsAnswers
            | Self::NpxNotFound { .. } => ErrorKind::FailedPrecondition,
        }
    }
}
