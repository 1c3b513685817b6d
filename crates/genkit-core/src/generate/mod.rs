//! A run of the generate loop as plain data: options, response, interrupts, tools, and the text of its errors.

pub mod data;
pub mod error;
pub mod format;
pub mod interrupt;
mod outcome;
mod runner;
mod tool_invocation;
pub mod tools;

pub use outcome::{AroundCall, CallOutcome, Tally, ToolCall, ToolOutcome};
pub use runner::{LinkedRunner, ToolRunner};
pub use tool_invocation::{InvocationParts, Resumption, ToolInvocation};
