//! Runs that begin with a prompt, which is rendered when the run begins.

mod merge;
mod prompt_ref;
mod render;

pub(super) use prompt_ref::PromptCall;
pub use prompt_ref::PromptRef;
