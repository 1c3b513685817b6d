//! The behavior of the library, tested through its public API with an in-memory MCP client.

#![allow(clippy::unwrap_used, reason = "a panic shows where a test fails")]

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
mod kinds;
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

/// Returns a server with only these actions.
fn serving<A: Into<Action>>(actions: impl IntoIterator<Item = A>) -> McpServer {
    let registry = Registry::new().add(actions);
    Genkit::builder().registry(registry).build().expect("the registry is valid").serve_mcp()
}
