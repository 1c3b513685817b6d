//! The errors of configuration files, with all their texts.

use std::io;
use std::{error, fmt};

use serde_json::Value;

/// What is wrong with a file or one of its servers: where, what, and how to mend it.
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
    /// Nothing if the text has the path itself.
    place: Option<String>,
    fault: Fault,
}

impl Error {
    /// A file that cannot be read.
    pub(crate) fn of_file(fault: Fault) -> Self {
        Self { place: None, fault }
    }

    pub(crate) fn at(place: String, fault: Fault) -> Self {
        Self { place: Some(place), fault }
    }

    /// `NotFound` or `PermissionDenied` if the file is so, `AlreadyExists` for another server of the same name,
    /// `InvalidData` for everything else.
    ///
    /// ```
    /// let error = genkit_mcp_servers_file::parse("{", "mcp.json", |_| None).unwrap_err();
    /// assert_eq!(error.kind(), std::io::ErrorKind::InvalidData);
    /// ```
    pub fn kind(&self) -> io::ErrorKind {
        match &self.fault {
            Fault::Unreadable { source, .. } | Fault::Unwritable { source, .. } => {
                match source.kind() {
                    kind @ (io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) => kind,
                    _ => io::ErrorKind::InvalidData,
                }
            }
            Fault::NoFolder { .. } | Fault::LinkToNothing(_) => io::ErrorKind::NotFound,
            Fault::ReadOnly(_) => io::ErrorKind::PermissionDenied,
            Fault::OtherServer { .. } => io::ErrorKind::AlreadyExists,
            _ => io::ErrorKind::InvalidData,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{place}: {}", self.fault),
            None => write!(f, "{}", self.fault),
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        error::Error::source(&self.fault)
    }
}

/// What is wrong, without the place.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    // The whole file.
    #[error("cannot read {path}: {source}{}", usual_places(source))]
    Unreadable { path: String, source: io::Error },
    #[error("cannot read {0}: it is neither UTF-8 nor UTF-16 with its mark")]
    FileNotText(String),
    #[error("line {line}, column {column}: {fault}")]
    Syntax { line: usize, column: usize, fault: String },
    #[error("the server `{0}` stands in `mcpServers` and in `servers`")]
    SameServer(String),
    #[error(
        "no servers are in it: they stand under `mcpServers`, or `servers` as VS Code has it{}",
        near.as_ref().map(|key| format!("; `{key}` is there: is it meant?")).unwrap_or_default()
    )]
    NoServers { near: Option<String> },

    // A file that is written.
    #[error(
        "it is neither UTF-8 nor UTF-16 with a byte order mark, and stays as it is: save it as UTF-8"
    )]
    NotText,
    #[error(
        "{} is no object, and stays as it is: a server cannot be put there",
        if at.is_empty() { "what is in it".to_owned() } else { format!("`{at}`") }
    )]
    NoObject { at: String },
    #[error(
        "the server `{name}` is there already and starts another program: choose another name, or take \
         that entry out first"
    )]
    OtherServer { name: String },
    #[error(
        "the folder {folder} is not there: start {app} once, which makes it, or name another file with `--config`"
    )]
    NoFolder { folder: String, app: String },
    #[error("{0} is no file")]
    NoFile(String),
    #[error("{0} is read-only, and stays as it is: allow to write it first")]
    ReadOnly(String),
    #[error("{0} is a symbolic link to a file that is not there")]
    LinkToNothing(String),
    #[error("{0} was changed while it was edited, and stays as it is: try again")]
    ChangedMeanwhile(String),
    #[error("cannot write {path}: {source}")]
    Unwritable { path: String, source: io::Error },

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

impl Fault {
    /// A value of another type; it may be a secret, so that only its type is shown.
    pub(crate) fn expected(expected: &'static str, found: &Value) -> Self {
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
