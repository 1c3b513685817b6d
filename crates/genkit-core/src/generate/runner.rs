//! The generate loop, as far as this crate calls it: `genkit-agent` registers it at link time.

use super::data::GenerateResponse;
use super::error::Error as E;
use super::outcome::ToolOutcome;
use super::tool_invocation::ToolInvocation;
use super::tools::ToolRef;
use crate::error::Result;
use crate::future::BoxFuture;

/// Runs tools as the loop does.
pub trait ToolRunner: Sync {
    /// Runs one call.
    fn call_tool(&self, call: ToolInvocation) -> BoxFuture<'static, Result<ToolOutcome>>;

    /// Runs all tool calls that a response requests.
    fn run_tools(
        &self,
        tools: Vec<ToolRef>,
        response: GenerateResponse,
    ) -> BoxFuture<'static, Result<GenerateResponse>>;
}

/// The runner that a crate registers with `inventory`.
pub struct LinkedRunner(pub &'static dyn ToolRunner);

inventory::collect!(LinkedRunner);

/// Returns the runner of this program.
///
/// # Errors
/// No crate with a runner is linked.
pub fn runner() -> Result<&'static dyn ToolRunner> {
    let linked = inventory::iter::<LinkedRunner>.into_iter().next();
    linked.map(|linked| linked.0).ok_or_else(|| E::NoRunner.into())
}
