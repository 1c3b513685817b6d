//! The parts that requests of the Chat Completions API and the Responses API have in common.

pub(crate) mod messages;
pub(crate) mod output_format;
pub(crate) mod settings;
pub(crate) mod tools;
