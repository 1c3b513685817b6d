//! The steps of a run and their results. Results are plain data, so they may come from another machine.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tracing::Instrument as _;

use super::nested::NestedRun;
use crate::middleware::{AroundCall, CallOutcome, ToolOutcome};
use crate::run::budget::SpentUsage;
use crate::run::driver::Driver;
use crate::run::round::PendingCall;
use crate::run::trace;
use crate::run::turn::TurnMachine;
use genkit_core::Result;
use genkit_core::internal::context::{Journal, QuestionChannel};
use genkit_core::internal::sync::lock;
use genkit_core::{ModelRequest, ModelResponse, ToolDefinition, Usage};
use genkit_core::{ToolRequest, ToolRetry};

/// A model call to perform: see [`NextStep::Model`](super::NextStep::Model).
#[must_use = "a call does nothing until `.perform().await`"]
pub struct ModelCall<'a> {
    driver: &'a Arc<Driver>,
    machine: &'a mut TurnMachine,
}

/// The result of a model call, as plain data for [`Run::accept_model_result`](super::Run::accept_model_result).
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[must_use = "the run continues when you pass it to `Run::accept_model_result`"]
pub struct ModelResult {
    pub(super) answer: ModelResponse,
    /// The tools of the run, if they may change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) tools: Option<Vec<ToolDefinition>>,
    /// The tools that were offered to the model. `None` means that all were offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) offered: Option<Vec<String>>,
    /// The usage of the run so far.
    pub(super) spent: SpentUsage,
    /// The run that has already counted this usage.
    #[serde(skip)]
    pub(super) by: Option<QuestionChannel>,
}

impl<'a> ModelCall<'a> {
    pub(super) fn new(driver: &'a Arc<Driver>, machine: &'a mut TurnMachine) -> Self {
        Self { driver, machine }
    }

    /// Returns the model request, before `before_turn` and middleware.
    pub fn request(&self) -> &ModelRequest {
        self.machine.request()
    }

    /// Returns the number of completed rounds of tool calls.
    pub fn round(&self) -> usize {
        self.machine.rounds()
    }

    /// Performs the call: calls the model through the middleware, within the limits of the run.
    ///
    /// # Errors
    /// Returns any error from the model's provider, `DeadlineExceeded`, `Cancelled`, or an error if a limit of the run
    /// is exceeded. If [`is_retryable`](genkit_core::Error::is_retryable) returns `true`, you may perform the call
    /// again. If you pass the error to [`Run::accept_model_result`](super::Run::accept_model_result), the run ends.
    pub async fn perform(mut self) -> Result<ModelResult> {
        let driver = Arc::clone(self.driver);
        let work = async move {
            self.refresh_tools().await;
            let tools = self.driver.env.tools.is_live().then(|| self.machine.tools().to_vec());
            let (env, span) = (&self.driver.env, trace::turn_span(self.round()));
            let answer = self.call_model().instrument(span).await?;
            let (offered, spent) = (env.tools.offered_names(), env.budget.spent());
            Ok(ModelResult { answer, tools, offered, spent, by: Some(env.asker) })
        };
        tokio::select! {
            biased;
            error = driver.env.wait_for_stop(Duration::ZERO) => Err(error),
            done = work => done,
        }
    }

    /// Updates the tools of the run.
    pub(in crate::run) async fn refresh_tools(&mut self) {
        let tools = &self.driver.env.tools;
        if tools.is_live() {
            tools.refresh_definitions(self.machine.tools_mut()).await;
        }
        tools.begin_turn(self.machine.tools().len());
    }

    pub(in crate::run) async fn call_model(&self) -> Result<ModelResponse> {
        self.driver.ask_model(self.machine, self.machine.index()).await
    }

    /// Calls the model. Inside a durable call, a temporary error is retried as in a durable run.
    pub(in crate::run) async fn call_with_retries(
        &self,
        nested: Option<&NestedRun>,
    ) -> Result<ModelResponse> {
        let mut tries = 0;
        loop {
            tries += 1;
            let called = self.call_model().await;
            let Err(error) = &called else { return called };
            let Some(wait) = nested.and_then(|nested| nested.retry_wait(tries, error)) else {
                return called;
            };
            tokio::time::sleep(wait).await;
        }
    }
}

/// A tool call to perform: see [`NextStep::Tools`](super::NextStep::Tools).
#[must_use = "a call does nothing until `.perform().await`"]
pub struct RunCall {
    driver: Arc<Driver>,
    call: PendingCall,
    /// The index of the tool message that is being produced.
    index: usize,
    journal: Option<Arc<dyn Journal>>,
}

/// The result of one tool call, as plain data for [`Run::accept_call_result`](super::Run::accept_call_result).
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[must_use = "the run continues when you pass it to `Run::accept_call_result`"]
pub struct CallResult {
    pub(super) place: usize,
    pub(super) index: usize,
    pub(super) outcome: CallOutcome,
    /// The usage of each model call that the tool requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) used: Vec<Usage>,
    /// The run that has already counted this usage.
    #[serde(skip)]
    pub(super) by: Option<QuestionChannel>,
}

impl CallResult {
    /// Returns the outcome of the call, in the form that middleware receives.
    pub fn outcome(&self) -> ToolOutcome {
        ToolOutcome(self.outcome.clone())
    }
}

impl RunCall {
    pub(super) fn new(driver: Arc<Driver>, call: PendingCall, index: usize) -> Self {
        Self { driver, call, index, journal: None }
    }

    /// Returns the tool request of the call. Its `id` distinguishes it from other calls of the round.
    pub fn request(&self) -> &ToolRequest {
        &self.call.request
    }

    /// Performs the call: runs the tool through the middleware, within its limits. A failure becomes a response to the
    /// model.
    ///
    /// # Errors
    /// Returns the errors that end the run: a failure with [`OnToolError::Abort`](crate::OnToolError::Abort), a
    /// [fatal](genkit_core::Error::is_fatal) error, and `DeadlineExceeded` or `Cancelled` of the run.
    pub async fn perform(self) -> Result<CallResult> {
        let driver = Arc::clone(&self.driver);
        tokio::select! {
            biased;
            error = driver.env.wait_for_stop(Duration::ZERO) => Err(error),
            done = self.run_call() => done,
        }
    }

    /// Returns the call with a journal that saves its results of `once`.
    #[doc(hidden)]
    pub fn with_journal(self, journal: Arc<dyn Journal>) -> Self {
        Self { journal: Some(journal), ..self }
    }

    /// Returns the index of the message that the call belongs to, and the index of the call in its round.
    #[doc(hidden)]
    pub fn position(&self) -> (usize, usize) {
        (self.index, self.call.place)
    }

    /// Returns whether the call must be started at most once.
    #[doc(hidden)]
    pub fn is_at_most_once(&self) -> bool {
        let tool = self.driver.env.tools.find_tool(&self.call.request.name);
        tool.is_some_and(|tool| tool.is_at_most_once())
    }

    /// Returns the retry settings that the tool declares.
    #[doc(hidden)]
    pub fn tool_retry(&self) -> Option<ToolRetry> {
        self.driver.env.tools.find_tool(&self.call.request.name)?.retry_settings()
    }

    pub(in crate::run) async fn run_call(self) -> Result<CallResult> {
        let Self { driver, call, index, journal } = self;
        let (place, around) = (call.place, AroundCall { journal, ..AroundCall::default() });
        let tally = Arc::clone(&around.tally);
        let outcome = driver.run_call(call, index, around).await?;
        let used = std::mem::take(&mut *lock(&tally));
        Ok(CallResult { place, index, outcome, used, by: Some(driver.env.asker) })
    }
}

/// An output check to perform: see [`NextStep::Check`](super::NextStep::Check).
#[must_use = "a check does nothing until `.perform().await`"]
pub struct OutputCheck<'a> {
    driver: &'a Arc<Driver>,
    machine: &'a TurnMachine,
}

/// The result of an output check, as plain data for [`Run::accept_verdict`](super::Run::accept_verdict).
#[derive(Clone, Serialize, Deserialize)]
#[must_use = "the run continues when you pass it to `Run::accept_verdict`"]
pub struct OutputVerdict {
    #[serde(with = "verdict")]
    pub(super) verdict: Result<(), String>,
}

impl<'a> OutputCheck<'a> {
    pub(super) fn new(driver: &'a Arc<Driver>, machine: &'a TurnMachine) -> Self {
        Self { driver, machine }
    }

    /// Performs the check: against the schema or type, then with the validators of the run.
    ///
    /// # Errors
    /// Returns the fatal error of a validator, which ends the run.
    pub async fn perform(self) -> Result<OutputVerdict> {
        let driver = self.driver;
        tokio::select! {
            biased;
            error = driver.env.wait_for_stop(Duration::ZERO) => Err(error),
            done = self.run_checks() => done,
        }
    }

    pub(in crate::run) async fn run_checks(self) -> Result<OutputVerdict> {
        let checks = &self.driver.env.settings.output;
        Ok(OutputVerdict {
            verdict: checks.check_response(self.machine.response_to_check()).await?,
        })
    }
}

impl OutputVerdict {
    /// Returns the verdict: `Ok` if the output is accepted, or the reason that is sent to the model.
    pub fn as_result(&self) -> &Result<(), String> {
        &self.verdict
    }
}

/// Serializes a verdict as JSON: null, or the reason.
mod verdict {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(
        verdict: &Result<(), String>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        verdict.as_ref().err().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Result<(), String>, D::Error> {
        let why = Option::<String>::deserialize(deserializer)?;
        Ok(why.map_or(Ok(()), Err))
    }
}

// `Debug` never prints contents.

impl std::fmt::Debug for ModelResult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModelResult")
            .field("finish_reason", &self.answer.finish_reason)
            .field("usage", &self.answer.usage)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for CallResult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let asks = matches!(self.outcome, CallOutcome::Interrupted(_));
        f.debug_struct("CallResult")
            .field("place", &self.place)
            .field("asks", &asks)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for OutputVerdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OutputVerdict").field("fits", &self.verdict.is_ok()).finish()
    }
}

impl std::fmt::Debug for ModelCall<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModelCall").field("round", &self.round()).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for RunCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunCall").field("tool", &self.call.request.name).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for OutputCheck<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OutputCheck").finish_non_exhaustive()
    }
}
