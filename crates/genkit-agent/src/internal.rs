//! Items that the sibling crates of genkit use. They are not part of the public API and change without notice.

pub use crate::call_model::call_model;
pub use crate::instance::LiveEvent;
pub use crate::into_tool::ask_caller;
pub use crate::request::close_calls;
pub use crate::thread::{ThreadAgent, ThreadChunk, ThreadEnd, ThreadRun, ThreadState, ThreadTurn};
pub use crate::tools::{resource_part, tool_definition};
