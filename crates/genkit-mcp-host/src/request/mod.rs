//! Requests to a server and their results, with retries and multi round-trip requests.

pub(crate) mod error;
mod input_required;
pub(crate) mod meta;
pub(crate) mod methods;
pub(crate) mod prompt_run;
pub(crate) mod results;
mod retry;
mod send;
mod task;
pub(crate) mod tool_result;
pub(crate) mod usage_mark;
