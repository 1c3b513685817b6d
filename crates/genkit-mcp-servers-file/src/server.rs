//! The servers of a file, as plain data.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::error::Error;

/// A parsed configuration file.
///
/// ```
/// let file = genkit_mcp_servers_file::parse(r#"{"servers": {}}"#, "mcp.json", |_| None)?;
/// assert!(file.servers.is_empty() && file.notices.is_empty());
/// # Ok::<(), genkit_mcp_servers_file::Error>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct ServersFile {
    /// The servers, in the order of the file.
    pub servers: Vec<ServerEntry>,
    /// Warnings: keys that are unknown or not used, and values that may be a mistake.
    pub notices: Vec<String>,
}

/// One server of a file.
///
/// ```
/// let text = r#"{"mcpServers": {"github/mcp": {"disabled": true, "command": 5}}}"#;
/// let file = genkit_mcp_servers_file::parse(text, "mcp.json", |_| None)?;
/// let server = &file.servers[0];
///
/// assert_eq!(server.key, "github-mcp");
/// assert_eq!(server.place, "mcpServers.github/mcp in mcp.json");
/// assert!(server.options.disabled);
/// assert_eq!(
///     server.transport.as_ref().unwrap_err().to_string(),
///     "mcpServers.github/mcp.command in mcp.json: expected a string, found a number",
/// );
/// # Ok::<(), genkit_mcp_servers_file::Error>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct ServerEntry {
    /// The name as a key: unique, not empty, without `/`, `*` or control characters, and at most
    /// [`MAX_KEY_BYTES`](crate::MAX_KEY_BYTES) bytes long.
    pub key: String,
    /// The location, for messages: `mcpServers.fs in mcp.json`.
    pub place: String,
    /// The options of the server. If the entry is invalid, these are the options that were read before the error.
    pub options: ServerOptions,
    /// The transport, or the problem with the entry.
    pub transport: Result<ServerTransport, Error>,
}

/// The options of a server, regardless of its transport.
///
/// ```
/// use std::time::Duration;
///
/// let text = r#"{"mcpServers": {"fs": {"command": "x", "timeout": 30000, "disabledTools": ["write_*"]}}}"#;
/// let file = genkit_mcp_servers_file::parse(text, "mcp.json", |_| None)?;
/// let options = &file.servers[0].options;
///
/// assert_eq!(options.timeout, Some(Duration::from_secs(30)));
/// assert_eq!(options.except, ["write_*"]);
/// assert!(!options.disabled && options.only.is_empty());
/// # Ok::<(), genkit_mcp_servers_file::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerOptions {
    /// If true, the server is disabled.
    pub disabled: bool,
    /// The time limit of a request. A number below 1000 in the file is interpreted as seconds, any other number as
    /// milliseconds.
    pub timeout: Option<Duration>,
    /// The tools that are offered: names, or patterns with `*`. If empty, all tools are offered.
    pub only: Vec<String>,
    /// The tools that are not offered: names, or patterns with `*`.
    pub except: Vec<String>,
}

/// The transport of a server.
///
/// ```
/// use genkit_mcp_servers_file::ServerTransport;
///
/// let text = r#"{"servers": {"docs": {"url": "https://example.com/mcp", "headers": {"X-Team": "a"}}}}"#;
/// let mut file = genkit_mcp_servers_file::parse(text, "mcp.json", |_| None)?;
/// let ServerTransport::Http { url, headers } = file.servers.remove(0).transport? else { panic!() };
///
/// assert_eq!(url, "https://example.com/mcp");
/// assert_eq!(headers, [("X-Team".to_owned(), "a".to_owned())]);
/// # Ok::<(), genkit_mcp_servers_file::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub enum ServerTransport {
    /// A program that communicates over its standard streams.
    Stdio {
        /// The program.
        command: String,
        /// The arguments.
        args: Vec<String>,
        /// The environment variables, including those of `envFile`.
        env: BTreeMap<String, String>,
        /// The working directory.
        cwd: Option<PathBuf>,
    },
    /// A server over streamable HTTP.
    Http {
        /// The URL, as written in the file.
        url: String,
        /// The headers of each request, in the order of the file.
        headers: Vec<(String, String)>,
    },
}

/// Omits arguments, URLs, and the values of variables and headers, which may be secrets.
impl fmt::Debug for ServerTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdio { command, args, env, cwd } => f
                .debug_struct("Stdio")
                .field("command", command)
                .field("args", &args.len())
                .field("env", &env.keys())
                .field("cwd", cwd)
                .finish(),
            Self::Http { headers, .. } => f
                .debug_struct("Http")
                .field("headers", &headers.iter().map(|(name, _)| name).collect::<Vec<_>>())
                .finish_non_exhaustive(),
        }
    }
}
