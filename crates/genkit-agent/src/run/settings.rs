//! Run settings that are not in `GenerateOptions`: middleware, the approval policy, limits, and how tool errors are
//! handled.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::budget::CallBudget;
use super::limits::RunLimits;
use crate::middleware::{Middleware, ToolCall};
use crate::output_checks::OutputChecks;
use crate::turn::BeforeTurn;
use genkit_core::internal::context::TypeMap;
use genkit_schema::internal::strictness::Strictness;

/// The settings of a run that are not in `GenerateOptions`, such as closures and limits.
#[derive(Clone, Default)]
pub(crate) struct RunSettings {
    pub(crate) middleware: Vec<Arc<dyn Middleware>>,
    /// Values for `Context::extension`.
    pub(crate) values: TypeMap,
    /// The map for `Context::action_context`.
    pub(crate) action_context: Arc<Map<String, Value>>,
    /// The client whose share the run uses. `None` means the client of the running function.
    pub(crate) client: Option<u64>,
    pub(crate) limits: RunLimits,
    pub(crate) output: OutputChecks,
    /// Whether the run fails when it reaches `max_turns`.
    pub(crate) fail_on_max_turns: bool,
    /// Whether arguments must match the schema exactly.
    pub(crate) exact_args: bool,
    pub(crate) on_tool_error: OnToolError,
    pub(crate) approval: Option<ApprovalPolicy>,
    /// The closures that run before each turn, in order.
    pub(crate) before_turn: Vec<BeforeTurn>,
    pub(crate) trace_contents: bool,
    /// The key of the run inside a durable call. By default it is derived from the conversation.
    pub(crate) durable_key: Option<String>,
    /// The budget of the tool call that this run is part of, if it is an agent as a tool.
    pub(crate) outer_budget: Option<Arc<CallBudget>>,
    /// Whether the run has state in addition to the state of its instance.
    pub(crate) has_own_state: bool,
}

impl RunSettings {
    pub(crate) fn strictness(&self) -> Strictness {
        if self.exact_args { Strictness::Exact } else { Strictness::Lenient }
    }
}

/// A function that decides whether a tool call may run. See [`Approval`].
pub(crate) type ApprovalPolicy = Arc<dyn Fn(&ToolCall) -> Approval + Send + Sync>;

/// The handling of tool errors in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnToolError {
    /// Returns the error to the model as `{"error": ".."}`, so that the model can correct its call.
    #[default]
    ReturnToModel,
    /// Fails the run. The error holds the partial response.
    Abort,
}

/// The decision of an approval policy on a tool call that is about to run.
///
/// ```
/// use genkit::testing::ScriptedModel;
/// use genkit::{Approval, tool, tools};
///
/// /// Pays an amount in cents.
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
///         _ => Approval::deny("the amount exceeds the limit"),
///     })
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Approval {
    /// The call runs, even if the tool has `needs_approval`.
    Allow,
    /// The run is interrupted with this question. `None` uses the tool's default question.
    Ask(Option<String>),
    /// The call does not run, and the model receives the reason.
    Deny(String),
}

impl Approval {
    /// Creates a decision that asks the user this question.
    pub fn ask(message: impl Into<String>) -> Self {
        Self::Ask(Some(message.into()))
    }

    /// Creates a decision that denies the call, with the reason for the model. A policy allows or denies a call; a person
    /// approves or declines it.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny(reason.into())
    }
}
