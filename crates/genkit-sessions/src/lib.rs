//! Agents: conversations that are stored during and after each turn, resumed in any process, and served to any client.
//!
//! | for | see |
//! |---|---|
//! | an agent with a model, instructions and tools, or with a function | [`Agent`], [`AgentBuilder`], [`AgentTurn`] |
//! | a conversation with history, questions and branches | [`AgentSession`] |
//! | a turn in the background | [`AgentInput::detached`], [`Agent::wait_for_snapshot`], [`Agent::abort`] |
//! | an agent as a tool of another agent | [`Agent::into_tool`] |
//! | plain data, with the JSON of Genkit | [`AgentInit`], [`AgentInput`], [`AgentOutput`], [`AgentChunk`], [`Snapshot`] |
//!
//! A session is stored in any [`RunStore`](genkit_core::RunStore). While a turn runs, its steps are saved like the
//! steps of a durable run. If its process is killed, the next call of the session continues the turn from its last
//! step.

#![allow(
    missing_docs,
    reason = "items that `genkit` re-exports are documented, which a test of `genkit` checks; the rest is internal to the workspace"
)]

mod actions;
mod agent;
mod background;
mod builder;
mod custom_state;
mod error;
mod hand_over;
mod journal;
mod memory;
mod run;
mod server;
mod session;
mod store;
#[cfg(test)]
mod tests;
mod thread;
mod turn;
mod types;

pub use agent::Agent;
pub use builder::AgentBuilder;
pub use genkit_flows::{ApiKey, Bearer, ContextProvider, FlowRequest, api_key, bearer};
pub use run::AgentRun;
pub use server::{AgentServer, serve_agents};
pub use session::{AgentSession, SessionTurn};
pub use turn::AgentTurn;
pub use types::{
    AgentChunk, AgentError, AgentFinishReason, AgentInit, AgentInput, AgentOutput, AgentState,
    Artifact, Snapshot, SnapshotStatus, TurnEnd,
};
