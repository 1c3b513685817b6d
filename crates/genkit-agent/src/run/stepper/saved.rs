//! What a durable run asks of its stepper.

use serde_json::Value;

use super::{Run, RunState};
use crate::run::turn::{TurnMachine, TurnStep};
use crate::tools::tool_definition;
use genkit_core::GenerateResponse;
use genkit_core::Interrupt;
use genkit_core::Registry;
use genkit_core::internal::generate::error::Error as E;
use genkit_core::{Error, Result};

impl Run {
    /// How many of its calls may run at a time.
    pub fn parallel_tools(&self) -> usize {
        self.driver.env.settings.limits.parallel_tools.max(1)
    }

    /// Tells its calls that somebody ended it: what they began elsewhere ends when they are dropped.
    pub fn cancel(&self) {
        self.driver.env.cancel.cancel();
    }

    /// Notes that a call is begun that must not be begun twice.
    pub fn note_started(&mut self, place: usize) {
        if let Some(round) = self.machine.round_mut() {
            round.start(place);
        }
    }

    /// Notes what a call did by `once`.
    pub fn note_once(&mut self, place: usize, key: String, done: Value) {
        if let Some(round) = self.machine.round_mut() {
            round.record(place, key, done);
        }
    }

    /// The state of a run that has failed, which is what its error owns, without the first `known` messages.
    pub fn failed_state(&self, done: &GenerateResponse, known: usize) -> RunState {
        let mut state = self.state_after(usize::MAX);
        state.messages = state.machine.end(done, known);
        state
    }
}

impl RunState {
    /// The response of a run that is over or asks; what the run had done where it is neither, or failed with `error`.
    pub fn into_ended(self, registry: &Registry, error: Option<Error>) -> Result<GenerateResponse> {
        let tools = self.names.tools.iter().filter_map(|name| registry.tool(name));
        let tools = tools.map(|tool| tool_definition(&tool)).collect();
        let mut machine = TurnMachine::restored(self.machine, self.messages, tools);
        match (machine.next(), error) {
            (TurnStep::Done | TurnStep::Asks, None) => Ok(*machine.take_response()),
            (TurnStep::Done, Some(error)) => Err(error.with_partial(*machine.take_response())),
            (_, error) => Err(machine.fail(error.unwrap_or_else(|| E::NotOver.into()))),
        }
    }

    /// The questions that have no answer yet.
    pub fn open(&self) -> Vec<Interrupt> {
        self.machine.open()
    }
}
