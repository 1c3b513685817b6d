//! Structured output: formats, instructions for the model, and parsing of its text.

mod answer;
mod parse;
mod schema;
#[cfg(test)]
mod tests;

pub use crate::run_options::Format;
pub use answer::stopped_on;
pub use answer::{ModelOutput, OutputMismatch, STOPPED};
pub use parse::{parse_answer, parse_partial};
pub use schema::{check_schema, output_instructions};
