//! The servers of a file, as plain data.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::error::Error;

/// A configuration file that was read.
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
    /// Warnings, one a line: keys that are unknown or not used, values that may be meant otherwise.
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
    /// Its name as a key: unique, not empty, without `/`, `*` and control characters, and at most
    /// [`MAX_KEY_BYTES`](crate::MAX_KEY_BYTES) long.
    pub key: String,
    /// Where it stands, for messages: `mcpServers.fs in mcp.json`.
    pub place: String,
    /// How it is used. If the entry is written wrongly, what was read up to there.
    pub options: ServerOptions,
    /// How it is reached, or what is wrong with the entry.
    pub transport: Result<ServerTransport, Error>,
}

/// How a server is used, however it is reached.
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
    /// Whether it is switched off.
    pub disabled: bool,
    /// The time limit of a request. A number below 1000 is taken as seconds, any other as milliseconds.
    pub timeout: Option<Duration>,
    /// The tools that are offered, all if empty: names, or patterns with `*`.
    pub only: Vec<String>,
    /// The tools that are not offered: names, or patterns with `*`.
    pub except: Vec<String>,
}

/// How a server is reached.
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
    /// A program that speaks on its standard streams.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables of its environment, with those of `envFile`.
        env: BTreeMap<String, String>,
        /// The folder that it runs in.
        cwd: Option<PathBuf>,
    },
    /// A server over streamable HTTP.
    Http {
        /// Its address, as it is written.
        url: String,
        /// The headers of each request, in the order of the file.
        headers: Vec<(String, String)>,
    },
}

/// Arguments, variables, headers and URLs hold keys and tokens: their values are not shown.
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
