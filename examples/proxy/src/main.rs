//! One server that fronts many: what the servers of an `mcp.json` offer is offered here, and one
//! tool more.
//!
//! ```text
//! cargo run -p proxy -- mcp.json --list                     what the servers offer
//! cargo run -p proxy -- mcp.json --http 127.0.0.1:8000      serve over HTTP at /mcp
//! cargo run -p proxy -- mcp.json --install claude-desktop   add it to a client
//! ```
//!
//! Questions of the servers behind it go to the client in front of it, and so does their progress.
//! What comes and goes behind it comes and goes here.

use std::path::PathBuf;

use genkit::mcp::McpHost;
use genkit::schemars::JsonSchema;
use genkit::serde::Serialize;
use genkit::{Result, tool};

#[derive(clap::Args)]
struct ProxyArgs {
    /// The `mcp.json` of the servers behind this one
    config: PathBuf,
}

/// A server behind this one.
#[derive(Serialize, JsonSchema)]
#[serde(crate = "genkit::serde")]
#[schemars(crate = "genkit::schemars")]
struct Behind {
    /// The key, which comes before the names of what it offers.
    server: String,
    /// What it is doing.
    state: String,
    /// Where to read why it is not there: what its program last said is not for every client.
    error: Option<&'static str>,
}

/// Lists the servers behind this one, and how they are.
#[tool(title = "Servers", read_only, open_world = false)]
async fn servers(host: &McpHost) -> Vec<Behind> {
    let behind = host.status().into_iter();
    behind
        .map(|status| Behind {
            server: status.server,
            state: status.state.to_string(),
            error: status.last_error.map(|_| "the log of this proxy says why"),
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
    // The servers behind end before this program does.
    if let Some(host) = behind {
        host.close().await;
    }
    served
}
