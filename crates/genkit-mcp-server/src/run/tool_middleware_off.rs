//! Runs tools without the feature `generate`, where servers have no tool middleware.

use std::sync::Arc;

use serde_json::Value;

use super::tool::start_tool;
use crate::state::SharedState;
use genkit_core::Tool;
use genkit_core::internal::action::ToolOutput;
use genkit_core::internal::context::{ContextParts, Outcome};

pub(crate) fn run_tool(
    shared: &Arc<SharedState>,
    context: ContextParts,
    trusts_client: bool,
    tool: Tool,
    input: Value,
) -> impl Future<Output = Outcome<ToolOutput>> + use<> {
    start_tool(&shared.settings, context, trusts_client, tool, input)
}
