//! Methods for durable runs.

use std::sync::Arc;

use serde_json::Value;

use super::{Run, RunState};
use crate::run::turn::{TurnMachine, TurnStep};
use crate::tools::tool_definition;
use genkit_core::GenerateResponse;
use genkit_core::Interrupt;
use genkit_core::Registry;
use genkit_core::internal::generate::error::Error as E;
use genkit_core::{Error, Result};
use genkit_model::ChunkSink;

impl Run {
    /// Returns the number of tool calls that may run in parallel.
    #[doc(hidden)]
    pub fn parallel_tools(&self) -> usize {
        self.driver.env.settings.limits.parallel_tools.max(1)
    }

    /// Cancels the run, including background work that its tools started.
    #[doc(hidden)]
    pub fn cancel_run(&self) {
        self.driver.env.cancel.cancel();
    }

    /// Sets the sink of the chunks of the next step.
    #[doc(hidden)]
    pub fn set_sink(&mut self, sink: ChunkSink) {
        // `get_mut` succeeds between two steps, because then no call shares the driver.
        if let Some(driver) = Arc::get_mut(&mut self.driver) {
            driver.env.sink = sink;
        }
    }

    /// Ends the run with `error`, and returns the error with the partial response.
    #[doc(hidden)]
    pub fn end_with_error(&mut self, error: Error) -> Error {
        self.fail_run(error)
    }

    /// Records that an at-most-once call was started.
    #[doc(hidden)]
    pub fn note_started(&mut self, place: usize) {
        if let Some(round) = self.machine.round_mut() {
            round.mark_started(place);
        }
    }

    /// Records a result of `once` in a call.
    #[doc(hidden)]
    pub fn note_once(&mut self, place: usize, key: String, done: Value) {
        if let Some(round) = self.machine.round_mut() {
            round.record_once(place, key, done);
        }
    }

    /// Returns the state of a failed run, taken from the partial response of its error, without the first `known`
    /// messages.
    #[doc(hidden)]
    pub fn failed_state(&self, done: &GenerateResponse, known: usize) -> RunState {
        let mut state = self.state_after(usize::MAX);
        state.messages = state.machine.end_run(done, known);
        state
    }
}

impl RunState {
    /// Returns the response of a run that is finished or interrupted. Otherwise, or if the run failed with `error`,
    /// returns an error with the partial response.
    #[doc(hidden)]
    pub fn into_ended(self, registry: &Registry, error: Option<Error>) -> Result<GenerateResponse> {
        let tools = self.names.tools.iter().filter_map(|name| registry.tool(name));
        let tools = tools.map(|tool| tool_definition(&tool)).collect();
        let mut machine = TurnMachine::restore(self.machine, self.messages, tools);
        match (machine.next(), error) {
            (TurnStep::Done | TurnStep::Asks, None) => Ok(*machine.take_response()),
            (TurnStep::Done, Some(error)) => Err(error.with_partial(*machine.take_response())),
            (_, error) => Err(machine.fail_run(error.unwrap_or_else(|| E::RunNotFinished.into()))),
        }
    }

    /// Returns the questions that have no answer yet.
    #[doc(hidden)]
    pub fn open_questions(&self) -> Vec<Interrupt> {
        self.machine.open_questions()
    }
}
