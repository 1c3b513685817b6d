//! The tool loop as a value: it returns the next step; the program performs the step and passes the result back.

mod calls;
mod names;
mod nested;
mod saved;
mod state;

use std::sync::Arc;

use tokio_util::sync::DropGuard;

use super::driver::Driver;
use super::turn::{TurnMachine, TurnStep};
use genkit_core::GenerateResponse;
use genkit_core::ModelResponse;
use genkit_core::internal::generate::error::Error as E;
use genkit_core::{Answer, Interrupt};
use genkit_core::{Error, Result};

pub use calls::{CallResult, ModelCall, ModelResult, OutputCheck, OutputVerdict, RunCall};
pub use names::RunNames;
pub(super) use nested::NestedRun;
pub use state::RunState;

/// A run of the tool loop, step by step. It is created by [`Generate::start`](crate::Generate::start) and
/// [`Run::resume`].
///
/// [`next`](Self::next) returns the next step, and its `perform` method performs it, here or on another machine. Pass
/// the result to [`accept_model_result`](Self::accept_model_result), [`accept_call_result`](Self::accept_call_result),
/// [`accept_verdict`](Self::accept_verdict) or [`answer`](Self::answer). After each of these calls,
/// [`state`](Self::state) returns everything that another process needs to continue. Awaiting a
/// [`Generate`](crate::Generate) performs the same steps.
///
/// ```
/// use genkit::generate::{NextStep, Run};
/// use genkit::message::ToolRequest;
/// use genkit::model::ModelResponse;
/// use genkit::testing::ScriptedModel;
/// use genkit::{Genkit, Registry, tool, tools};
///
/// /// Books a table.
/// #[tool(needs_approval)]
/// async fn book(people: u32) -> String { format!("a table for {people}") }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// # let model = ScriptedModel::new([
/// #     ModelResponse::from_tool_requests([ToolRequest::new("book", serde_json::json!({"people": 2}))]),
/// #     ModelResponse::from_text("Booked."),
/// # ]);
/// let registry = Registry::new().add(tools![book]);
/// let genkit = Genkit::builder().registry(registry).default_model(model).build()?;
/// let mut run = genkit.generate("A table for two!").tools(["book"]).start().await?;
/// loop {
///     match run.next() {
///         NextStep::Model(call) => {
///             let answer = call.perform().await;
///             run.accept_model_result(answer)?;
///         }
///         NextStep::Tools(calls) => {
///             for call in calls {
///                 run.accept_call_result(call.perform().await)?; // in any order, or in parallel
///             }
///         }
///         NextStep::Asks(open) => {
///             // Days may pass here, and another process may continue.
///             let stored = serde_json::to_string(&run.state())?;
///             run = Run::resume(&genkit, serde_json::from_str(&stored)?).await?;
///             run.answer(open[0].approve())?;
///         }
///         NextStep::Check(check) => {
///             let checked = check.perform().await;
///             run.accept_verdict(checked)?;
///         }
///         _ => break,
///     }
/// }
/// assert_eq!(run.into_response()?.text(), "Booked.");
/// # Ok(())
/// # }
/// ```
///
/// A run that is performed step by step differs from an awaited run. The middleware hook `generate` is not called,
/// since it wraps a run within a single process. `max_turns`, `usage_limit` and the reported usage cover all processes
/// of the run together. `deadline` starts at [`start`](crate::Generate::start) or [`resume`](Self::resume). Nothing is
/// streamed.
pub struct Run {
    driver: Arc<Driver>,
    machine: TurnMachine,
    names: Arc<RunNames>,
    /// Cancels background work of tools when the run is dropped.
    _stop: Option<DropGuard>,
}

/// The next step of a [`Run`].
#[derive(Debug)]
#[non_exhaustive]
pub enum NextStep<'a> {
    /// Call the model, and pass the result to [`Run::accept_model_result`].
    Model(ModelCall<'a>),
    /// Run these calls, in any order or in parallel, and pass each result to [`Run::accept_call_result`].
    Tools(Vec<RunCall>),
    /// Check the output, and pass the result to [`Run::accept_verdict`].
    Check(OutputCheck<'a>),
    /// The run is interrupted by these open questions. Pass each answer to [`Run::answer`].
    Asks(Vec<Interrupt>),
    /// The run is finished: see [`Run::response`] and [`Run::into_response`].
    Done,
}

impl Run {
    pub(super) fn new(driver: Arc<Driver>, machine: TurnMachine) -> Self {
        let mut this = Self { driver, machine, names: Arc::default(), _stop: None };
        this.settle_if_done();
        this
    }

    /// Returns the run with the names that it depends on. Dropping the run cancels background work of tools.
    pub(crate) fn with_names(self, names: RunNames) -> Self {
        let stop = self.driver.env.cancel.clone().drop_guard();
        Self { names: Arc::new(names), _stop: Some(stop), ..self }
    }

    /// Returns the next step. Calling it again without passing a result returns the same step.
    #[allow(clippy::should_implement_trait, reason = "the returned step borrows the run")]
    pub fn next(&mut self) -> NextStep<'_> {
        match self.machine.next() {
            TurnStep::Model => NextStep::Model(ModelCall::new(&self.driver, &mut self.machine)),
            TurnStep::Check => NextStep::Check(OutputCheck::new(&self.driver, &self.machine)),
            TurnStep::Tools(calls) => {
                let index = self.machine.index();
                let call = |call| RunCall::new(Arc::clone(&self.driver), call, index);
                NextStep::Tools(calls.into_iter().map(call).collect())
            }
            TurnStep::Asks => NextStep::Asks(self.open_questions()),
            TurnStep::Done => NextStep::Done,
        }
    }

    /// Returns the questions that have no answer yet. The list is empty if the run is not interrupted.
    pub fn open_questions(&self) -> Vec<Interrupt> {
        let asking = self.machine.open_round();
        asking.map(|asking| asking.answers.open_questions(&asking.message)).unwrap_or_default()
    }

    #[doc(hidden)]
    #[deprecated(note = "renamed to `open_questions`")]
    pub fn open(&self) -> Vec<Interrupt> {
        self.open_questions()
    }

    /// Accepts the result of a model call. Returns `false` if the result is too late, because the run no longer waits
    /// for it.
    ///
    /// # Errors
    /// Returns an error if this result ends the run: the error of the call, or an error of the loop (the response was
    /// blocked or has no message, or a limit was exceeded). The error holds the partial response:
    /// [`Error::partial`].
    pub fn accept_model_result(&mut self, answer: Result<ModelResult>) -> Result<bool> {
        if !matches!(self.machine.next(), TurnStep::Model) {
            return Ok(false);
        }
        let taken = answer.and_then(|answer| self.take_answer(answer));
        taken.map(|()| true).map_err(|error| self.fail_run(error))
    }

    #[doc(hidden)]
    #[deprecated(note = "renamed to `accept_model_result`")]
    pub fn answered(&mut self, answer: Result<ModelResult>) -> Result<bool> {
        self.accept_model_result(answer)
    }

    /// Accepts the result of one tool call. Returns `false` if the call is not open, because it already has a result or
    /// the run continued without it.
    ///
    /// # Errors
    /// Returns an error if a tool failed with an error that ends the run.
    pub fn accept_call_result(&mut self, call: Result<CallResult>) -> Result<bool> {
        if !matches!(self.machine.next(), TurnStep::Tools(_)) {
            return Ok(false);
        }
        call.and_then(|call| self.take_settled(call)).map_err(|error| self.fail_run(error))
    }

    #[doc(hidden)]
    #[deprecated(note = "renamed to `accept_call_result`")]
    pub fn settled(&mut self, call: Result<CallResult>) -> Result<bool> {
        self.accept_call_result(call)
    }

    /// Accepts the result of an output check. Returns `false` if the run does not wait for an output check.
    ///
    /// # Errors
    /// Returns an error if this result ends the run, because a validator failed or the output was
    /// rejected after the last retry.
    pub fn accept_verdict(&mut self, verdict: Result<OutputVerdict>) -> Result<bool> {
        if !matches!(self.machine.next(), TurnStep::Check) {
            return Ok(false);
        }
        let taken = verdict.and_then(|verdict| self.take_verdict(verdict));
        taken.map(|()| true).map_err(|error| self.fail_run(error))
    }

    #[doc(hidden)]
    #[deprecated(note = "renamed to `accept_verdict`")]
    pub fn checked(&mut self, verdict: Result<OutputVerdict>) -> Result<bool> {
        self.accept_verdict(verdict)
    }

    /// Accepts the answer to one open question. The run continues once all questions are answered.
    ///
    /// # Errors
    /// Returns `FailedPrecondition` if no question is open, and `InvalidArgument` if the answer is for a different
    /// question or does not match the question. On error the run is unchanged.
    pub fn answer(&mut self, answer: Answer) -> Result<()> {
        let env = &self.driver.env;
        let Some(asking) = self.machine.open_round() else { return Err(E::NothingAsked.into()) };
        let answers = asking.answers.with_answer(answer, &asking.message)?;
        answers.check(|name| env.tools.find_tool(name), env.settings.strictness())?;
        if !answers.open_questions(&asking.message).is_empty() {
            self.machine.set_answers(answers);
            return Ok(());
        }
        self.machine.resume_round(&answers)?;
        self.settle_if_done();
        Ok(())
    }

    /// Converts at-most-once calls with an unknown outcome into questions: calls that another process started and did
    /// not finish. The run then asks for their outcome instead of calling them again (see
    /// `at_most_once`). Returns the number of such calls.
    ///
    /// Call this when you take over a run from a process that has ended.
    pub fn ask_about_started(&mut self) -> usize {
        let asked = self.machine.round_mut().map(|round| round.ask_about_started().len());
        self.settle_if_done();
        asked.unwrap_or(0)
    }

    /// Returns the response, if the run is finished.
    pub fn response(&self) -> Option<&GenerateResponse> {
        self.machine.response()
    }

    /// Returns the response of a run that is finished or [interrupted](GenerateResponse::is_interrupted). Otherwise
    /// returns the response so far, with the finish reason `Aborted`.
    ///
    /// # Errors
    /// Returns an error if the run failed and its error was already returned.
    pub fn into_response(mut self) -> Result<GenerateResponse> {
        match self.machine.next() {
            TurnStep::Done if self.machine.response().is_none() => Err(E::AlreadyFailed.into()),
            TurnStep::Done | TurnStep::Asks => Ok(*self.machine.take_response()),
            _ => match self.machine.fail_run(E::RunNotFinished.into()).into_partial() {
                Some(partial) => Ok(partial),
                None => Err(E::AlreadyFailed.into()),
            },
        }
    }

    /// Performs all remaining steps, until the run is finished or interrupted.
    ///
    /// # Errors
    /// Returns the errors of an awaited [`Generate`](crate::Generate).
    pub async fn finish(mut self) -> Result<GenerateResponse> {
        loop {
            match self.next() {
                NextStep::Model(call) => {
                    let answer = call.perform().await;
                    self.accept_model_result(answer)?;
                }
                NextStep::Check(check) => {
                    let verdict = check.perform().await;
                    self.accept_verdict(verdict)?;
                }
                NextStep::Tools(calls) => {
                    let driver = Arc::clone(&self.driver);
                    let ran = driver.perform_calls(calls, &mut self).await;
                    ran.map_err(|error| self.fail_run(error))?;
                }
                NextStep::Asks(_) | NextStep::Done => return self.into_response(),
            }
        }
    }

    fn take_answer(&mut self, answered: ModelResult) -> Result<()> {
        let env = &self.driver.env;
        if answered.by != Some(env.asker) {
            if let Some(tools) = answered.tools {
                *self.machine.tools_mut() = tools;
            }
            env.tools.set_offered(answered.offered);
            env.budget.replace_spent(answered.spent);
        }
        self.accept_own_response(answered.answer)
    }

    /// Accepts the response to a call that this process made and counted.
    pub(super) fn accept_own_response(&mut self, mut answer: ModelResponse) -> Result<()> {
        let env = &self.driver.env;
        if let Err(error) = env.budget.settle_call(&mut answer) {
            return Err(self.machine.end_with_error(answer, error));
        }
        self.machine.accept_response(answer)?;
        self.settle_if_done();
        Ok(())
    }

    pub(super) fn take_settled(&mut self, settled: CallResult) -> Result<bool> {
        let CallResult { place, index, outcome, used, by } = settled;
        let env = &self.driver.env;
        let is_open = self.machine.tool_round().is_some_and(|round| round.is_open(place));
        if !is_open || index != self.machine.index() {
            tracing::debug!(place, index, "ignoring the result of a call that is not open");
            return Ok(false);
        }
        if by != Some(env.asker) {
            env.budget.count_nested_calls(&used);
        }
        self.machine.finish_call(place, outcome);
        self.settle_if_done();
        Ok(true)
    }

    pub(super) fn take_verdict(&mut self, checked: OutputVerdict) -> Result<()> {
        if let Some(retry) = self.machine.accept_verdict(checked.verdict)? {
            self.driver.env.sink.send(retry.retry_chunk());
        }
        Ok(())
    }

    /// Ends the round if all of its calls have a result.
    fn settle_if_done(&mut self) {
        if !self.machine.tool_round().is_some_and(|round| round.is_settled()) {
            return;
        }
        let driver = &self.driver;
        self.machine.add_usage(&driver.env.budget.take_unreported_usage());
        let index = self.machine.index();
        driver.note_past_resumed();
        if let Some(answers) = self.machine.settle_round() {
            driver.stream_answers(answers, index);
        }
    }

    /// Ends the run with `error`, and adds the partial response to it.
    pub(super) fn fail_run(&mut self, error: Error) -> Error {
        self.machine.add_usage(&self.driver.env.budget.take_unreported_usage());
        self.machine.fail_run(error)
    }

    /// Returns the response of a run that consists of one round.
    pub(super) fn into_round(mut self) -> GenerateResponse {
        self.machine.end_round()
    }
}

/// Prints counts only.
impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run")
            .field("messages", &self.machine.request().messages.len())
            .field("rounds", &self.machine.rounds())
            .finish_non_exhaustive()
    }
}
