//! The server of agents, with the protocol of Genkit's clients.

mod builder;
pub(crate) mod endpoint;
mod error;
mod serve;
mod state_seal;

pub use builder::{AgentServer, serve_agents};
