//! Structured output: formats, how a model is told what to write, and how its text is read.

mod answer;
mod checks;
mod parse;
mod schema;
#[cfg(test)]
mod tests;

pub use crate::run_options::Format;
pub(crate) use answer::{ModelAnswer, OutputMisfit, STOPPED, stopped_on};
pub(crate) use checks::OutputChecks;
pub(crate) use parse::{parse, parse_partial};
pub(crate) use schema::{check_schema, instructions};
