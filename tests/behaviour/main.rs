//! What the library does, seen through its public API: an MCP client in memory.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

mod bounded;
mod bounds;
mod changes;
mod composed;
#[macro_use]
mod durable;
mod errors;
mod evaluators;
mod flows;
mod flows_served;
mod fuzz;
mod generate;
mod guides;
mod host;
mod leaving;
mod lists;
mod logged;
mod options;
mod prompts;
mod questions;
mod recorded;
mod registry;
mod resources;
mod results;
mod rounds;
mod served;
mod skills;
mod tasks;
mod telemetry;

use genkit::mcp::McpServer;
use genkit::{Action, Genkit, Registry};

/// A server over these actions alone.
fn serving<A: Into<Action>>(actions: impl IntoIterator<Item = A>) -> McpServer {
    let registry = Registry::new().add(actions);
    Genkit::builder().registry(registry).build().expect("the registry is sound").serve_mcp()
}
