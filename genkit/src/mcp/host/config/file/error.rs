//! The errors of configuration files.

use std::io;

use serde_json::Value;

use crate::error::{ErrorKind, Topic};

/// What is wrong, without the place: a [`ConfigPath`](super::config_path::ConfigPath) adds that.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    // The whole file.
    #[error("cannot read {path}: {source}{}", usual_places(source))]
    Unreadable { path: String, source: io::Error },
    #[error("cannot read {0}: it is not UTF-8")]
    FileNotUtf8(String),
    #[error("line {line}, column {column}: {fault}")]
    Syntax { line: usize, column: usize, fault: String },
    #[error("the server `{0}` stands in `mcpServers` and in `servers`")]
    SameServer(String),
    #[error(
        "no servers are in it: they stand under `mcpServers`, or `servers` as VS Code has it{}",
        near.as_ref().map(|key| format!("; `{key}` is there: is it meant?")).unwrap_or_default()
    )]
    NoServers { near: Option<String> },

    // One server.
    #[error("expected {expected}, found {found}")]
    Type { expected: &'static str, found: &'static str },
    #[error("expected a number above zero")]
    NotPositive,
    #[error("`command` and `{url}` are both there: which one is it?")]
    CommandAndUrl { url: &'static str },
    #[error("`command` is missing")]
    NoCommand,
    #[error("`url` is missing")]
    NoUrl,
    #[error("`command` (a program) or `url` (a server on the network) is missing")]
    NeitherCommandNorUrl,
    #[error("expected \"stdio\" or \"http\"")]
    UnknownTransport,
    #[error(
        "servers over `sse`, the transport of 2024, are not supported: most of them offer streamable \
         HTTP too, often at an address that ends in `/mcp` and not in `/sse`: give that, and \
         \"type\": \"http\""
    )]
    Sse,
    #[cfg(not(feature = "mcp-host-http"))]
    #[error("servers over HTTP need genkit's feature `mcp-host-http`")]
    NoHttp,
    #[error("cannot read {path}: {source}")]
    EnvFile { path: String, source: io::Error },
    #[error("{0} is not UTF-8")]
    EnvFileNotUtf8(String),
    #[error("line {line} of {path} is not `NAME=value`")]
    EnvFileLine { path: String, line: usize },

    // A variable.
    #[error("the variable `{0}` is not set: set it, or write `${{{0}:-default}}`")]
    UnsetVariable(String),
    #[error(
        "`${{{0}}}` can only be found out by VS Code: use a variable of the environment, `${{NAME}}`"
    )]
    EditorVariable(String),
}

impl Error {
    /// A value of another type; it may be a secret, so that only its type is shown.
    pub(super) fn expected(expected: &'static str, found: &Value) -> Self {
        let found = match found {
            Value::Null => "null",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        };
        Self::Type { expected, found }
    }
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Unreadable { source, .. } => match source.kind() {
                io::ErrorKind::NotFound => ErrorKind::NotFound,
                io::ErrorKind::PermissionDenied => ErrorKind::PermissionDenied,
                _ => ErrorKind::InvalidArgument,
            },
            #[cfg(not(feature = "mcp-host-http"))]
            Self::NoHttp => ErrorKind::Unimplemented,
            _ => ErrorKind::InvalidArgument,
        }
    }
}

fn usual_places(error: &io::Error) -> String {
    if error.kind() != io::ErrorKind::NotFound {
        return String::new();
    }
    let desktop = if cfg!(target_os = "macos") {
        "~/Library/Application Support/Claude/claude_desktop_config.json"
    } else if cfg!(windows) {
        r"%APPDATA%\Claude\claude_desktop_config.json"
    } else {
        "~/.config/Claude/claude_desktop_config.json"
    };
    format!(
        ". The usual ones are: .mcp.json or ~/.claude.json (Claude Code), {desktop} (Claude \
         Desktop), .cursor/mcp.json or ~/.cursor/mcp.json (Cursor), .vscode/mcp.json (VS Code)"
    )
}
