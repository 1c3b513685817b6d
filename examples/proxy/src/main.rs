//! A proxy that combines all servers of an `mcp.json` into one MCP server, with one additional tool.
//!
//! ```text
//! cargo run -p proxy -- mcp.json --list                     what the servers offer
//! cargo run -p proxy -- mcp.json --http 127.0.0.1:8000      serve over HTTP at /mcp
//! cargo run -p proxy -- mcp.json --install claude-desktop   add it to a client
//! ```
//!
//! The proxy forwards questions and progress of the servers to its client. If the servers add or remove items, the
//! lists of the proxy change as well.

use std::path::PathBuf;

use genkit::mcp::McpHost;
use genkit::schemars::JsonSchema;
use genkit::serde::Serialize;
use genkit::{Result, tool};

#[derive(clap::Args)]
struct ProxyArgs {
    /// The `mcp.json` of the servers behind this proxy
    config: PathBuf,
}

/// A server behind the proxy.
#[derive(Serialize, JsonSchema)]
#[serde(crate = "genkit::serde")]
#[schemars(crate = "genkit::schemars")]
struct Behind {
    /// The key of the server, which prefixes the names of its items.
    server: String,
    /// The state of the connection.
    state: String,
    /// A hint about where to find the error. The text of the error is not sent to clients.
    error: Option<&'static str>,
}

/// Lists the servers behind this proxy and their state.
#[tool(title = "Servers", read_only, open_world = false)]
async fn servers(host: &McpHost) -> Vec<Behind> {
    let behind = host.status().into_iter();
    behind
        .map(|status| Behind {
            server: status.server,
            state: status.state.to_string(),
            error: status.last_error.map(|_| "see the log of this proxy"),
        })
        .collect()
}

#[tokio::main]
async fn main() -> Result<()> {
    genkit::log_to_stderr();
    let mut behind = None;
    let cli = genkit::serve_mcp().name("proxy").version(env!("CARGO_PKG_VERSION"));
    let cli = cli.health("/health").cli();
    let served = cli
        .cli_args(|server, args: ProxyArgs| {
            let host = behind.insert(McpHost::from_config_file(args.config)?);
            Ok(server.state(host.clone()).host(host))
        })
        .await;
    // Stop the servers before this program exits.
    if let Some(host) = behind {
        host.close().await;
    }
    served
}
