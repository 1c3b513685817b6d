//! One server that fronts many: what the servers of an `mcp.json` offer is offered here, and one
//! tool more.
//!
//! ```text
//! cargo run -p proxy -- mcp.json                          serve on stdio
//! cargo run -p proxy -- mcp.json --http 127.0.0.1:8000    serve over HTTP at /mcp
//! ```
//!
//! Questions of the servers behind it go to the client in front of it, and so does their progress.
//! What comes and goes behind it comes and goes here.

use genkit::mcp::McpHost;
use genkit::schemars::JsonSchema;
use genkit::serde::Serialize;
use genkit::{Error, Result, tool};

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
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (config, http) = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [config] if !config.starts_with('-') => (config, None),
        [config, "--http", address] | ["--http", address, config] => (config, Some(address)),
        _ => return Err(Error::invalid_argument("usage: proxy CONFIG [--http ADDRESS]")),
    };
    let host = McpHost::from_config_file(config)?;
    let server = genkit::serve_mcp()
        .name("proxy")
        .version(env!("CARGO_PKG_VERSION"))
        .state(host.clone())
        .host(&host);
    let served = match http {
        Some(address) => server.http(address).await,
        None => server.await,
    };
    // The servers behind end before this program does.
    host.close().await;
    served
}
