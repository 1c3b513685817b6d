//! Settings of a run that are values of the program: approval, errors of tools, middleware, limits.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::limits::RunLimits;
use crate::middleware::{Middleware, ToolCall};
use crate::output_checks::OutputChecks;
use crate::turn::BeforeTurn;
use genkit_core::internal::context::TypeMap;
use genkit_schema::internal::strictness::Strictness;

/// The settings of a run; what is plain data stands in its options.
#[derive(Clone, Default)]
pub(crate) struct RunSettings {
    pub(crate) middleware: Vec<Arc<dyn Middleware>>,
    /// What its tools read with `Context::extension`.
    pub(crate) values: TypeMap,
    /// What its tools read with `Context::action_context`.
    pub(crate) action_context: Arc<Map<String, Value>>,
    pub(crate) limits: RunLimits,
    pub(crate) output: OutputChecks,
    /// Whether reaching `max_turns` is an error.
    pub(crate) fail_on_max_turns: bool,
    /// Arguments are read exactly as the schema says.
    pub(crate) exact_args: bool,
    pub(crate) on_tool_error: OnToolError,
    pub(crate) approval: Option<ApprovalPolicy>,
    /// In their order, before each turn.
    pub(crate) before_turn: Vec<BeforeTurn>,
    pub(crate) trace_contents: bool,
    /// Whether it has state that is not that of its instance.
    pub(crate) has_own_state: bool,
}

impl RunSettings {
    pub(crate) fn strictness(&self) -> Strictness {
        if self.exact_args { Strictness::Exact } else { Strictness::Lenient }
    }
}

/// Decides on calls: see [`Approval`].
pub(crate) type ApprovalPolicy = Arc<dyn Fn(&ToolCall) -> Approval + Send + Sync>;

/// Tool errors: what to do when a tool fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnToolError {
    /// The model is told, as `{"error": ".."}`, and can mend its call.
    #[default]
    ReturnToModel,
    /// The run fails; the error owns what was done.
    Abort,
}

/// Approval: what the user, or the program in their place, says of a call before it runs.
///
/// ```
/// use genkit::testing::ScriptedModel;
/// use genkit::{Approval, tool, tools};
///
/// /// Pays.
/// #[tool]
/// async fn pay(cents: u64) -> String { format!("paid {cents}") }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// genkit::generate("Pay the bill.")
///     .model(ScriptedModel::text("Which one?"))
///     .tools(tools![pay])
///     .approval(|call| match call.request().input["cents"].as_u64() {
///         Some(..1_000) => Approval::Allow,
///         Some(..100_000) => Approval::ask("That is more than 10. Pay?"),
///         _ => Approval::deny("nobody pays that much here"),
///     })
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Approval {
    /// It runs, also where the tool says `needs_approval`.
    Allow,
    /// The run is interrupted with this question; `None` asks with the call's own words.
    Ask(Option<String>),
    /// It does not run, and the model is told why.
    Deny(String),
}

impl Approval {
    /// Asks the user with this text.
    pub fn ask(message: impl Into<String>) -> Self {
        Self::Ask(Some(message.into()))
    }

    /// Denies the call, for this reason.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny(reason.into())
    }
}
