//! A run of the generate loop as plain data: options, response, interrupts, tools, and the text of its errors.

pub mod data;
pub mod error;
pub mod format;
pub mod interrupt;
mod outcome;
mod resource_ref;
mod retriever_ref;
mod runner;
mod tool_invocation;
mod tool_ref;

pub use outcome::{AroundCall, CallOutcome, Tally, ToolCall, ToolOutcome};
pub use resource_ref::{IntoResources, ResourceRef, ResourceSource};
pub use retriever_ref::RetrieverRef;
pub use runner::{LinkedRunner, ToolRunner};
pub use tool_invocation::{InvocationParts, Resumption, ToolInvocation};
pub use tool_ref::{IntoTools, ToolRef, ToolSource};
