//! Configuration files of MCP clients (`mcpServers`), read as plain data, and written with care.
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
//! | written | read as |
//! |---|---|
//! | `mcpServers`, `servers` (VS Code), either of them under `mcp` | the servers |
//! | `command`, `args`, `env`, `envFile`, `cwd` | a server over stdio |
//! | `url`, `httpUrl` or `serverUrl`, and `headers` | a server over streamable HTTP |
//! | `type`, `transport` or `transportType` | which of the two; `sse` is an error that tells how to go on |
//! | `disabled`, `enabled`, `timeout` | [`ServerOptions`] |
//! | `enabledTools`, `includeTools`, `allowedTools`, `tools` | [`ServerOptions::only`] |
//! | `disabledTools`, `excludeTools`, `blockedTools` | [`ServerOptions::except`] |
//! | `${NAME}`, `${env:NAME}`, `${NAME:-default}` | the variable; what is no variable stays as it is |
//!
//! **Errors.** A file that cannot be read is an [`Error`]. An entry that is written wrongly is one of its own, in
//! [`ServerEntry::transport`], and the other servers can be used. Both name the place: `mcpServers.fs.args[1] in
//! mcp.json`. A key that stands twice is an error, since the second server of a name would win in silence.
//!
//! **Notices.** A key that is unknown or not used is no error, but a line in [`ServersFile::notices`].
//!
//! **Writing.** [`EditPlan`] puts one server more into the file of a client, and leaves every other byte as it is:
//! comments, unknown keys, encoding, line ends. A copy is made first.
//!
//! **Secrets.** Values of variables, headers, arguments and URLs are in no error, no notice and no `Debug`.

#![forbid(unsafe_code)]

mod bounded;
mod dotenv;
mod edit;
mod encoding;
mod entry;
mod entry_keys;
mod error;
mod fields;
mod jsonc;
mod parse;
mod place;
mod read;
mod server;
mod server_keys;
mod variables;

pub use edit::{ClientApp, EditPlan, NewServer, Written, add_server};
pub use error::Error;
pub use parse::parse;
pub use read::{read, read_with};
pub use server::{ServerEntry, ServerOptions, ServerTransport, ServersFile};
pub use server_keys::MAX_KEY_BYTES;
