//! Without the feature `generate`, a server has no middleware.

use std::sync::Arc;

use serde_json::Value;

use super::tool::InnermostRun;
use crate::state::SharedState;
use genkit_core::internal::action::ToolOutput;
use genkit_core::internal::context::{ContextParts, Outcome};

pub(super) fn run_in_middleware(
    _: &Arc<SharedState>,
    run: InnermostRun,
    context: ContextParts,
    input: Value,
) -> impl Future<Output = Outcome<ToolOutput>> + use<> {
    run.start_tool(context, input)
}
