//! Steps, which any process can perform, and their results.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use crate::error::Error as E;
use crate::flow_state::FlowState;
use crate::record::StoredError;
use crate::settings::RetryPolicy;
use genkit_agent::Instance;
use genkit_agent::{CallResult, ModelResult, NextStep, Run, RunState};
use genkit_core::BoxFuture;
use genkit_core::RunId;
use genkit_core::internal::context::Journal;
use genkit_core::{Error, ErrorKind, Result};

/// A log that stores the results of [`Context::once`](genkit_core::Context::once) in a step of an engine. The function
/// continues when the future of [`once`](Self::once) resolves, so the result must be stored by then.
pub trait StepLog: Send + Sync + 'static {
    /// Stores the result `done` under `key`.
    fn once(&self, key: &str, done: &Value) -> BoxFuture<'static, Result<()>>;
}

/// A step log that stores nothing, for tests and for engines that perform each step only once.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoStepLog;

impl StepLog for NoStepLog {
    fn once(&self, _: &str, _: &Value) -> BoxFuture<'static, Result<()>> {
        Box::pin(std::future::ready(Ok(())))
    }
}

/// A step of a durable run as plain data: a model call, a tool call, or a flow. Returned by
/// [`EngineRun::due`](super::EngineRun::due). A step contains everything that a process needs to perform it, and is not
/// encrypted. A model call contains the whole conversation.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[must_use = "a step does nothing until `.perform(..)`"]
pub struct EngineStep {
    run: RunId,
    number: u64,
    work: StepWork,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum StepWork {
    /// The state with the whole conversation.
    Model(Box<RunState>),
    /// The state without its messages.
    #[serde(rename_all = "camelCase")]
    Call {
        index: usize,
        place: usize,
        tool: String,
        state: Box<RunState>,
    },
    Flow(Box<FlowState>),
}

/// The result of a step, as plain data for [`EngineRun::accept_step_result`](super::EngineRun::accept_step_result).
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[must_use = "the run continues when you pass it to `EngineRun::accept_step_result`"]
pub struct StepResult {
    pub(super) number: u64,
    pub(super) outcome: StepOutcome,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum StepOutcome {
    Model(Box<ModelResult>),
    Call(Box<CallResult>),
    /// An at-most-once call that was started before, with an unknown outcome.
    Unknown {
        once: BTreeMap<String, Value>,
    },
    Flow(Box<FlowState>),
    #[serde(rename_all = "camelCase")]
    Failed {
        error: StoredError,
        /// Minimum wait before a retry, in milliseconds. `None` if the error is not retryable.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        again_after: Option<u64>,
    },
}

impl EngineStep {
    pub(super) fn new(run: RunId, number: u64, work: StepWork) -> Self {
        Self { run, number, work }
    }

    /// Returns the id of the run that the step belongs to.
    pub fn run(&self) -> &RunId {
        &self.run
    }

    /// Returns the number of the step, unique within its run.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns the name of the tool to call. Returns `None` for a model call or a flow.
    pub fn tool(&self) -> Option<&str> {
        match &self.work {
            StepWork::Call { tool, .. } => Some(tool),
            StepWork::Model(_) | StepWork::Flow(_) => None,
        }
    }

    /// Returns the name of the flow to run. Returns `None` for model calls and tool calls.
    pub fn flow(&self) -> Option<&str> {
        match &self.work {
            StepWork::Flow(state) => Some(state.name()),
            StepWork::Model(_) | StepWork::Call { .. } => None,
        }
    }

    /// Returns whether the step must be started at most once (`#[tool(at_most_once)]`). If it was already started, call
    /// [`unknown`](Self::unknown) instead of [`perform`](Self::perform).
    pub fn is_at_most_once(&self, genkit: &Instance) -> bool {
        let tool = self.tool().and_then(|name| genkit.registry.tool(name));
        tool.is_some_and(|tool| tool.is_at_most_once())
    }

    /// Returns the time limit of the step, if it has one. An engine with a shorter limit may run the step twice.
    pub fn time_limit(&self, genkit: &Instance) -> Option<Duration> {
        match &self.work {
            StepWork::Model(state) => Some(state.model_timeout()),
            StepWork::Call { tool, state, .. } => {
                let tool = genkit.registry.tool(tool);
                Some(tool.and_then(|tool| tool.timeout()).unwrap_or(state.tool_timeout()))
            }
            StepWork::Flow(_) => None,
        }
    }

    /// Creates the result of an at-most-once step that was already started and whose outcome is unknown. The run then
    /// asks the user for the outcome. `recorded` holds the known results of `once`.
    pub fn unknown(self, recorded: BTreeMap<String, Value>) -> StepResult {
        StepResult { number: self.number, outcome: StepOutcome::Unknown { once: recorded } }
    }

    /// Performs the step. Results of `once` in `recorded` are not computed again, and new results are sent to `log`.
    /// When `cancelled` resolves, the step ends, and external operations that it started are cancelled.
    ///
    /// # Errors
    /// Returns an error if this process lacks a dependency of the step, such as a tool. Another
    /// process may have it. All other errors are part of the result.
    pub async fn perform(
        &self,
        genkit: &Instance,
        recorded: BTreeMap<String, Value>,
        log: impl StepLog,
        cancelled: impl Future<Output = ()>,
    ) -> Result<StepResult> {
        let span = tracing::info_span!("durable_step", run = %self.run, step = self.number);
        let outcome = async {
            match &self.work {
                StepWork::Model(state) => ask_model(genkit, state, cancelled).await,
                StepWork::Call { index, place, state, .. } => {
                    let position = (*index, *place);
                    let journal = StepJournal::new(&self.run, position, log);
                    call(genkit, state, position, recorded, journal, cancelled).await
                }
                StepWork::Flow(state) => {
                    let journal = StepJournal::new(&self.run, (0, 0), log);
                    run_flow(genkit, state, recorded, journal, cancelled).await
                }
            }
        };
        Ok(StepResult { number: self.number, outcome: outcome.instrument(span).await? })
    }
}

async fn ask_model(
    genkit: &Instance,
    state: &RunState,
    cancelled: impl Future<Output = ()>,
) -> Result<StepOutcome> {
    let mut run = Run::resume(genkit, state.clone()).await?;
    let NextStep::Model(call) = run.next() else { return Err(E::UnexpectedStep.into()) };
    // A model call has no external operations, so dropping it is sufficient.
    let answered = tokio::select! {
        biased;
        () = cancelled => return Ok(StepOutcome::after_cancel()),
        answered = call.perform() => answered,
    };
    Ok(match answered {
        Ok(answered) => StepOutcome::Model(Box::new(answered)),
        Err(error) => StepOutcome::from_error(&error, true),
    })
}

async fn call(
    genkit: &Instance,
    state: &RunState,
    position: (usize, usize),
    recorded: BTreeMap<String, Value>,
    journal: StepJournal,
    cancelled: impl Future<Output = ()>,
) -> Result<StepOutcome> {
    let mut run = Run::resume(genkit, state.clone()).await?;
    for (key, done) in recorded {
        run.note_once(position.1, key, done);
    }
    let NextStep::Tools(calls) = run.next() else { return Err(E::UnexpectedStep.into()) };
    let call = calls.into_iter().find(|call| call.position() == position);
    let call = call.ok_or(E::UnexpectedStep)?.with_journal(Arc::new(journal));
    let mut working = pin!(call.perform());
    let settled = tokio::select! {
        biased;
        () = cancelled => {
            run.cancel_run();
            working.await
        }
        settled = &mut working => settled,
    };
    Ok(match settled {
        Ok(settled) => StepOutcome::Call(Box::new(settled)),
        Err(error) => StepOutcome::from_error(&error, false),
    })
}

async fn run_flow(
    genkit: &Instance,
    state: &FlowState,
    recorded: BTreeMap<String, Value>,
    journal: StepJournal,
    cancelled: impl Future<Output = ()>,
) -> Result<StepOutcome> {
    let mut known = state.clone();
    for (key, done) in recorded {
        known.note_once(key, done);
    }
    let cancel = CancellationToken::new();
    let mut working = pin!(known.run_flow(genkit, Arc::new(journal), cancel.clone())?);
    let ended = tokio::select! {
        biased;
        () = cancelled => {
            cancel.cancel();
            working.await
        }
        ended = &mut working => ended,
    };
    // The results of `once` are part of the suspended state.
    let mut state = state.clone();
    Ok(match state.store_outcome(ended) {
        Ok(_) => StepOutcome::Flow(Box::new(state)),
        Err(error) => StepOutcome::from_error(&error, true),
    })
}

impl StepResult {
    /// Returns the number of the step.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Returns whether the result is a flow that waits for answers.
    pub fn asks(&self) -> bool {
        matches!(&self.outcome, StepOutcome::Flow(state) if state.is_interrupted())
    }

    /// Returns the wait before the step is performed again, after `tries` attempts. Returns `None` if the maximum
    /// number of attempts is reached, or if the error is not temporary (`Unavailable`, `ResourceExhausted` or
    /// `DeadlineExceeded` from a model or a flow). The wait is at least as long as the server requested.
    pub fn retry_after(&self, tries: u32) -> Option<Duration> {
        match &self.outcome {
            StepOutcome::Failed { again_after: Some(asked), .. } => {
                RetryPolicy::new().wait_before_retry(tries, Some(Duration::from_millis(*asked)))
            }
            _ => None,
        }
    }

    /// Returns the error of the step. An error from a tool is usually a response to the model instead.
    pub fn error(&self) -> Option<Error> {
        match &self.outcome {
            StepOutcome::Failed { error, .. } => Some(error.clone().into_error()),
            _ => None,
        }
    }
}

impl StepOutcome {
    fn from_error(error: &Error, is_retried: bool) -> Self {
        let may_pass = matches!(
            error.kind(),
            ErrorKind::Unavailable | ErrorKind::ResourceExhausted | ErrorKind::DeadlineExceeded
        );
        let asked = error.retry_after().unwrap_or(Duration::ZERO);
        let again_after = (is_retried && may_pass && error.is_retryable())
            .then(|| u64::try_from(asked.as_millis()).unwrap_or(u64::MAX));
        Self::Failed { error: StoredError::from_error(error), again_after }
    }

    fn after_cancel() -> Self {
        let error = Error::new(ErrorKind::Cancelled, "the run was cancelled");
        Self::from_error(&error, false)
    }
}

/// The journal of a step, which its engine stores.
struct StepJournal {
    /// The same in each process that continues the run.
    id: String,
    log: Box<dyn StepLog>,
}

impl StepJournal {
    fn new(run: &RunId, (index, place): (usize, usize), log: impl StepLog) -> Self {
        Self { id: format!("{run}/{index}/{place}"), log: Box::new(log) }
    }
}

impl Journal for StepJournal {
    fn id(&self) -> &str {
        &self.id
    }

    fn save_result(&self, key: &str, done: &Value) -> BoxFuture<'static, Result<()>> {
        self.log.once(key, done)
    }
}

// `Debug` never prints contents.

impl std::fmt::Debug for EngineStep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EngineStep")
            .field("run", &self.run)
            .field("number", &self.number)
            .field("tool", &self.tool())
            .field("flow", &self.flow())
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for StepResult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let failed = matches!(self.outcome, StepOutcome::Failed { .. });
        f.debug_struct("StepResult")
            .field("number", &self.number)
            .field("failed", &failed)
            .finish_non_exhaustive()
    }
}
