//! One run of the loop: the machine in `turn` decides, the [`driver`] acts.

mod caller;
mod driver;
mod env;
mod limits;
mod model_call;
mod references;
mod round;
mod settings;
#[cfg(test)]
mod tests;
mod tool_call;
mod trace;
mod turn;

pub(crate) use driver::Run;
pub(crate) use env::RunEnv;
pub(crate) use limits::MAX_TURNS;
pub(crate) use settings::RunSettings;
pub use settings::{Approval, OnToolError};
pub(crate) use tool_call::call_inside;
pub(crate) use turn::TurnRules;
