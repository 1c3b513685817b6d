//! Configuration files of MCP clients (`mcpServers`), read as plain data, and edited without changing anything else.
//!
//! ```
//! use genkit_mcp_servers_file::{ServerTransport, parse};
//!
//! let text = r#"{
//!     // Comments and trailing commas are allowed.
//!     "mcpServers": {
//!         "fs": {"command": "mcp-server-filesystem", "args": ["${HOME}/notes"]},
//!         "docs": {"url": "https://example.com/mcp", "timeout": 30000},
//!     },
//! }"#;
//! let variables = |name: &str| (name == "HOME").then(|| "/home/me".to_owned());
//! let file = parse(text, "mcp.json", variables)?;
//!
//! let Ok(ServerTransport::Stdio { command, args, .. }) = &file.servers[0].transport else { panic!() };
//! assert_eq!((command.as_str(), args.as_slice()), ("mcp-server-filesystem", &["/home/me/notes".to_owned()][..]));
//! assert_eq!(file.servers[1].key, "docs");
//! # Ok::<(), genkit_mcp_servers_file::Error>(())
//! ```
//!
//! | in the file | read as |
//! |---|---|
//! | `mcpServers`; `servers` (VS Code), also under `mcp`; `context_servers` (Zed) | the servers, by name or as a list |
//! | `mcp` (OpenCode, Crush) | the servers |
//! | `projects.*.mcpServers` (Claude Code) | the servers, disabled outside the folder of their project |
//! | `command`, `args`, `env` or `environment`, `envFile`, `cwd` | a server over stdio |
//! | `command` as a list (OpenCode) or an object (Zed) | the program and its arguments |
//! | `url`, `httpUrl`, `serverUrl` or `baseUrl`, and `headers` | a server over streamable HTTP |
//! | `type`, `transport` or `transportType` | the transport; `sse` is rejected with an error that states the alternative |
//! | `disabled`, `enabled`, `isActive`, `active`, `state`, and `disabledMcpServers` next to the servers | whether the server is disabled; an unknown value disables the server and is reported |
//! | `timeout` | the time limit of calls |
//! | `enabledTools`, `includeTools`, `allowedTools`, `tools` | the only tools that are offered |
//! | `disabledTools`, `excludeTools`, `blockedTools` | tools that are not offered |
//! | `${NAME}`, `${env:NAME}`, `{env:NAME}`, `${NAME:-default}` | the value of the variable; other uses of `${..}` are kept unchanged |
//!
//! **Errors.** If the file cannot be read, the functions return an [`Error`]. An invalid entry has its own error, in
//! [`ServerEntry::transport`], and the other servers remain usable. Both errors state the location:
//! `mcpServers.fs.args[1] in mcp.json`.
//!
//! **Notices.** A key that is unknown, duplicate or not used is not an error, but is listed in [`ServersFile::notices`].
//! The last value of a duplicate key is used, as in other programs.
//!
//! **Writing.** [`EditPlan`] adds a server to the file of a client, and preserves all other bytes: comments, unknown
//! keys, encoding, line endings. A backup is created first.
//!
//! **Secrets.** Errors, notices and `Debug` do not contain the values of variables, headers, arguments and URLs.

#![forbid(unsafe_code)]

mod dotenv;
mod edit;
mod encoding;
mod entry;
mod entry_keys;
mod error;
mod fields;
mod jsonc;
mod location;
mod parse;
mod read;
mod sections;
mod server;
mod server_keys;
mod shapes;
mod variables;

pub use edit::{ClientApp, EditOutcome, EditPlan, NewServer, add_server};
pub use error::Error;
pub use parse::parse;
pub use read::{read, read_with};
pub use server::{ServerEntry, ServerOptions, ServerTransport, ServersFile};
pub use server_keys::MAX_KEY_BYTES;
