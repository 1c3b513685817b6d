//! Runs functions for clients: admission, context and outcome, and the tools with their middleware.

mod lifecycle;
mod tool;
#[cfg_attr(not(feature = "generate"), path = "tool_middleware_off.rs")]
mod tool_middleware;

pub(super) use self::lifecycle::{Answered, Run, RunOutcome, drive_in_span};
pub(super) use self::tool_middleware::run_tool;
