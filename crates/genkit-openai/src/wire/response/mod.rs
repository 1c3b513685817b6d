//! The parts that responses of the Chat Completions API and the Responses API have in common.

pub(crate) mod error;
pub(crate) mod stream;
