//! Runs functions for clients: admission, context and outcome, and the tools with their middleware.

mod lifecycle;
mod tool;
#[cfg_attr(not(feature = "generate"), path = "tool_middleware_off.rs")]
mod tool_middleware;

use serde_json::Value;

pub(super) use self::lifecycle::{Answered, Run, RunOutcome, drive_in_span};
use super::state::SharedState;
use genkit_core::Tool;
use genkit_core::internal::action::ToolOutput;
use genkit_core::internal::context::{ContextParts, Outcome};
use genkit_schema::internal::strictness::Strictness;

/// Runs `tool` with `context`, inside the program's middleware. A client that is trusted asks its user for approval
/// itself.
pub(super) fn run_tool(
    shared: &std::sync::Arc<SharedState>,
    context: ContextParts,
    trusts_client: bool,
    tool: Tool,
    input: Value,
) -> impl Future<Output = Outcome<ToolOutput>> + use<> {
    let how = if shared.settings.strict_args { Strictness::Exact } else { Strictness::Lenient };
    let run = tool::InnermostRun { tool, how, trusts_client };
    tool_middleware::run_in_middleware(shared, run, context, input)
}
