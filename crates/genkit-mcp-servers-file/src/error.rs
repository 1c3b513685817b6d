//! Errors of configuration files, with all their messages.

use std::io;
use std::{error, fmt};

use serde_json::Value;

/// An error in a file or one of its servers, with its location and a remedy.
///
/// ```
/// let error = genkit_mcp_servers_file::parse("[]", "mcp.json", |_| None).unwrap_err();
/// assert_eq!(error.kind(), std::io::ErrorKind::InvalidData);
/// assert_eq!(
///     error.to_string(),
///     "mcp.json: expected an object with `mcpServers`, found an array",
/// );
/// ```
#[derive(Debug)]
pub struct Error {
    /// `None` if the message itself contains the path.
    place: Option<String>,
    reason: ErrorReason,
}

impl Error {
    /// Creates the error of a file that cannot be read or written.
    pub(crate) fn of_file(reason: ErrorReason) -> Self {
        Self { place: None, reason }
    }

    pub(crate) fn at_location(place: String, reason: ErrorReason) -> Self {
        Self { place: Some(place), reason }
    }

    /// Returns `NotFound` or `PermissionDenied` if these apply to the file, `AlreadyExists` if another server has this
    /// name, and `InvalidData` for all other errors.
    ///
    /// ```
    /// let error = genkit_mcp_servers_file::parse("{", "mcp.json", |_| None).unwrap_err();
    /// assert_eq!(error.kind(), std::io::ErrorKind::InvalidData);
    /// ```
    pub fn kind(&self) -> io::ErrorKind {
        match &self.reason {
            ErrorReason::Unreadable { source, .. } | ErrorReason::Unwritable { source, .. } => {
                match source.kind() {
                    kind @ (io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) => kind,
                    _ => io::ErrorKind::InvalidData,
                }
            }
            ErrorReason::FolderNotFound { .. } | ErrorReason::LinkToNothing(_) => {
                io::ErrorKind::NotFound
            }
            ErrorReason::ReadOnly(_) => io::ErrorKind::PermissionDenied,
            ErrorReason::OtherServer { .. } => io::ErrorKind::AlreadyExists,
            _ => io::ErrorKind::InvalidData,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{place}: {}", self.reason),
            None => write!(f, "{}", self.reason),
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        error::Error::source(&self.reason)
    }
}

/// The error, without its location.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ErrorReason {
    // The whole file.
    #[error("cannot read {path}: {source}{}", usual_paths(source))]
    Unreadable { path: String, source: io::Error },
    #[error("cannot read {0}: it is neither UTF-8 nor UTF-16 with a byte order mark")]
    FileNotText(String),
    #[error("line {line}, column {column}: {reason}")]
    Syntax { line: usize, column: usize, reason: String },
    #[error(
        "no servers found; expected `mcpServers`, or `servers` as in VS Code{}",
        near.as_ref().map(|key| format!(", instead of `{key}`")).unwrap_or_default()
    )]
    MissingServers { near: Option<String> },

    // Writing a file.
    #[error(
        "the file is neither UTF-8 nor UTF-16 with a byte order mark and was not changed; save it as UTF-8"
    )]
    NotText,
    #[error(
        "{} is not an object, so the server cannot be added; the file was not changed",
        if at.is_empty() { "its content".to_owned() } else { format!("`{at}`") }
    )]
    NotAnObject { at: String },
    #[error(
        "the server `{name}` already exists and starts a different program; choose another name, or remove \
         that entry first"
    )]
    OtherServer { name: String },
    #[error(
        "the folder {folder} does not exist; start {app} once to create it, or choose another file with `--config`"
    )]
    FolderNotFound { folder: String, app: String },
    #[error("{0} is not a file")]
    NotAFile(String),
    #[error("{0} is read-only and was not changed; make it writable first")]
    ReadOnly(String),
    #[error("{0} is a symbolic link to a file that does not exist")]
    LinkToNothing(String),
    #[error("{0} was modified by another program, so nothing was written; try again")]
    ChangedMeanwhile(String),
    #[error("cannot write {path}: {source}")]
    Unwritable { path: String, source: io::Error },

    // One server.
    #[error("expected {expected}, found {found}")]
    Type { expected: &'static str, found: &'static str },
    #[error("expected a number above zero")]
    NotPositive,
    #[error("`command` and `{url}` are both set; keep only one")]
    CommandAndUrl { url: &'static str },
    #[error("`command` is missing")]
    MissingCommand,
    #[error("`url` is missing")]
    MissingUrl,
    #[error("`command` (a program) or `url` (a server on the network) is missing")]
    NeitherCommandNorUrl,
    #[error("expected \"stdio\" or \"http\"")]
    UnknownTransport,
    #[error(
        "the transport `sse` is not supported; most servers also offer streamable HTTP, often at a URL \
         that ends in `/mcp` instead of `/sse`; use that URL and \
         \"type\": \"http\""
    )]
    Sse,
    #[error("cannot read {path}: {source}")]
    EnvFile { path: String, source: io::Error },
    #[error("{0} is not UTF-8")]
    EnvFileNotUtf8(String),
    #[error("line {line} of {path} is not `NAME=value`")]
    EnvFileLine { path: String, line: usize },

    // A variable.
    #[error("the variable `{0}` is not set; set it, or write `${{{0}:-default}}`")]
    UnsetVariable(String),
    #[error("`${{{0}}}` can only be resolved by VS Code; use an environment variable, `${{NAME}}`")]
    EditorVariable(String),
}

impl ErrorReason {
    /// Creates the error of a value with the wrong type. Only the found type is shown, because the value may be a
    /// secret.
    pub(crate) fn wrong_type(expected: &'static str, found: &Value) -> Self {
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

fn usual_paths(error: &io::Error) -> String {
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
        "; the usual files are .mcp.json or ~/.claude.json (Claude Code), {desktop} (Claude \
         Desktop), .cursor/mcp.json or ~/.cursor/mcp.json (Cursor), .vscode/mcp.json (VS Code)"
    )
}
