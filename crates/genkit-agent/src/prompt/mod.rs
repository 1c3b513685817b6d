//! Runs that start with a prompt, which is rendered when the run starts.

mod merge;
mod prompt_ref;
mod render;

pub(super) use prompt_ref::PromptCall;
pub use prompt_ref::PromptRef;
