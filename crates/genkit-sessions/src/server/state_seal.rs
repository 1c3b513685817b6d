//! The sealed state of client-managed agents, which clients store and send back.

use std::time::Duration;

use genkit_core::internal::bounded_json::parse_bounded;
use genkit_core::internal::seal::Seal;
use genkit_flows::internal::{associated_data, create_seal};

use super::error::Error as E;
use crate::types::{AgentOutput, AgentState};

/// The time for which a sealed state stays valid. Default is 30 days.
const STATE_TTL: Duration = Duration::from_secs(30 * 24 * 3600);

/// The domain separator of these seals, unique among all uses of the same key.
const DOMAIN: &[u8] = b"genkit/agent-state/1\0";

/// Seals the states that a server returns. A seal is bound to the agent and the owner.
pub(super) struct StateSeal(Seal);

impl StateSeal {
    /// Creates a seal with a key, or with a random key of this process.
    pub(super) fn new(key: Option<&[u8]>) -> Result<Self, E> {
        create_seal(key, DOMAIN).map(Self).map_err(|(has, min)| E::ShortKey(has, min))
    }

    /// Adds the seal to the state of an output. The seal contains the whole state, because the state that a client
    /// sends back may differ: JavaScript rounds large integers, and clients apply the changes of aborted turns.
    pub(super) fn seal_output(
        &self,
        mut output: AgentOutput,
        agent: &str,
        owner: &str,
    ) -> AgentOutput {
        if let Some(state) = &mut output.state
            && let Ok(text) = serde_json::to_vec(state)
        {
            state.seal = Some(self.0.seal_text(&text, &associated_data(agent, owner), STATE_TTL));
        }
        output
    }

    /// Returns the sealed content of a state. Returns `None` for a new conversation: an unsealed state without
    /// messages, which a client sends after an aborted first turn.
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
        let opened = self.0.open_text(sealed, &associated_data(agent, owner));
        let text = opened.map_err(|_| E::UnsealedState)?;
        let state = parse_bounded(&text).map_err(|error| E::InvalidInput(error.to_string()))?;
        serde_json::from_value(state).map(Some).map_err(|_| E::UnsealedState)
    }
}
