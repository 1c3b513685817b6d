//! The sealed state of client-managed agents, which clients store and send back.

use std::time::Duration;

use genkit_core::internal::bounded_json::parse_bounded;
use genkit_core::internal::seal::{MIN_KEY, Seal};

use super::error::Error as E;
use crate::types::{AgentOutput, AgentState};

/// How long a client can send back the state of a conversation. Default is 30 days.
const STATE_TTL: Duration = Duration::from_secs(30 * 24 * 3600);

/// A prefix that no other use of the same key has.
const DOMAIN: &[u8] = b"genkit/agent-state/1\0";

/// Seals the states that a server returns, each for its agent and its owner.
pub(super) struct StateSeal(Seal);

impl StateSeal {
    /// Creates a seal with a key, or with a random key of this process.
    pub(super) fn new(key: Option<&[u8]>) -> Result<Self, E> {
        let random = [*uuid::Uuid::new_v4().as_bytes(), *uuid::Uuid::new_v4().as_bytes()].concat();
        let key = key.unwrap_or(&random);
        match key.len() < MIN_KEY {
            true => Err(E::ShortKey(key.len(), MIN_KEY)),
            false => Ok(Self(Seal::new(key, DOMAIN))),
        }
    }

    /// Adds the seal to the state of an output. It contains the whole state, because clients in JavaScript round
    /// integers, and apply changes of an aborted turn.
    pub(super) fn seal_output(
        &self,
        mut output: AgentOutput,
        agent: &str,
        owner: &str,
    ) -> AgentOutput {
        if let Some(state) = &mut output.state
            && let Ok(text) = serde_json::to_vec(state)
        {
            state.seal = Some(self.0.seal_text(&text, &bound_to(agent, owner), STATE_TTL));
        }
        output
    }

    /// Returns the sealed content of a state. A state without messages, as a client has it after an aborted first turn,
    /// begins a new conversation.
    pub(super) fn open_state(
        &self,
        state: AgentState,
        agent: &str,
        owner: &str,
    ) -> Result<Option<AgentState>, E> {
        let Some(sealed) = &state.seal else {
            let is_new = state.messages.is_empty() && state.artifacts.is_empty();
            return if is_new && state.agent.is_none() { Ok(None) } else { Err(E::UnsealedState) };
        };
        let opened = self.0.open_text(sealed, &bound_to(agent, owner));
        let text = opened.map_err(|_| E::UnsealedState)?;
        let state = parse_bounded(&text).map_err(|error| E::InvalidInput(error.to_string()))?;
        serde_json::from_value(state).map(Some).map_err(|_| E::UnsealedState)
    }
}

/// Returns what a seal is bound to. The length comes first, so that the name cannot run into the owner.
fn bound_to(agent: &str, owner: &str) -> Vec<u8> {
    [&(agent.len() as u64).to_be_bytes()[..], agent.as_bytes(), owner.as_bytes()].concat()
}
