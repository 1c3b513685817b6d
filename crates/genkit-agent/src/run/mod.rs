//! One run of the tool loop: the state machine in `turn` selects each step, and the [`driver`] performs it.

mod budget;
mod caller;
mod driver;
mod env;
mod limits;
mod max_output;
mod model_call;
mod references;
mod round;
mod settings;
mod stepper;
#[cfg(test)]
mod tests;
mod tool_call;
mod trace;
mod turn;
mod turn_loop;
mod turn_spans;

pub(crate) use budget::{Budget, CallBudget};
pub(crate) use driver::Driver;
pub(crate) use env::RunEnv;
pub(crate) use limits::MAX_TURNS;
pub(crate) use limits::MODEL_TIMEOUT;
pub(crate) use model_call::call_within;
pub(crate) use settings::RunSettings;
pub use settings::{Approval, OnToolError};
pub(crate) use stepper::RunNames;
pub use stepper::{
    CallResult, ModelCall, ModelResult, NextStep, OutputCheck, OutputVerdict, Run, RunCall,
    RunState,
};
pub(crate) use tool_call::call_inside;
pub(crate) use turn::TurnRules;
pub(crate) use turn_spans::begin_span;
