//! Runs that survive the process.

#[macro_use]
mod handed_on;

mod child_signals;
mod engine;
mod failing;
mod failing_saves;
mod failing_store;
mod flows;
mod growth;
mod handles;
mod killed;
mod memory;
mod stepping;
mod stored;
mod trusted;
mod two_workers;
mod workers;
mod world;

use self::world::{MODEL_CALLS, World, ask, check_answer, process};
