//! The server of agents, with the protocol of Genkit's clients.

mod builder;
mod endpoint;
mod error;
mod serve;

pub use builder::{AgentServer, serve_agents};
#[cfg(test)]
pub(crate) use endpoint::AgentEndpoint;
