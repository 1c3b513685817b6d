//! The loop as a value: it says what is next, the program performs it, and what came of it goes back in.

mod calls;
mod names;
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

pub use calls::{CallSettled, ModelAnswered, ModelCall, OutputCheck, OutputChecked, RunCall};
pub use names::RunNames;
pub use state::RunState;

/// A run of the loop, step by step: made by [`Generate::start`](crate::Generate::start) and
/// [`Run::resume`].
///
/// [`next`](Self::next) says what is to be done, `perform` of what it gives does it, here or on another machine,
/// and what came of it goes back with [`answered`](Self::answered), [`settled`](Self::settled),
/// [`checked`](Self::checked) or [`answer`](Self::answer). After each of them [`state`](Self::state) is all that
/// another process needs to go on. Awaiting a [`Generate`](crate::Generate) does the same steps.
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
///             run.answered(answer)?;
///         }
///         NextStep::Tools(calls) => {
///             for call in calls {
///                 run.settled(call.perform().await)?; // in any order, also at the same time
///             }
///         }
///         NextStep::Asks(open) => {
///             // Days may pass here, and another process may go on.
///             let stored = serde_json::to_string(&run.state())?;
///             run = Run::resume(&genkit, serde_json::from_str(&stored)?).await?;
///             run.answer(open[0].approve())?;
///         }
///         NextStep::Check(check) => {
///             let checked = check.perform().await;
///             run.checked(checked)?;
///         }
///         _ => break,
///     }
/// }
/// assert_eq!(run.into_response()?.text(), "Booked.");
/// # Ok(())
/// # }
/// ```
///
/// What is different from an awaited run: the middleware hook
/// [`generate`](crate::middleware::chain::Middleware::generate) is not called, since it is around a run that ends where
/// it began; `max_turns`, `usage_limit` and usage count over all lives of the run; `deadline` counts from
/// [`start`](crate::Generate::start) or [`resume`](Self::resume); nothing is streamed.
pub struct Run {
    driver: Arc<Driver>,
    machine: TurnMachine,
    names: Arc<RunNames>,
    /// Work that a tool handed to other tasks ends with the run.
    _stop: Option<DropGuard>,
}

/// The next step of a [`Run`].
#[derive(Debug)]
#[non_exhaustive]
pub enum NextStep<'a> {
    /// The model is to be asked; what it answers goes to [`Run::answered`].
    Model(ModelCall<'a>),
    /// These calls are to be run, in any order and at the same time; each goes to [`Run::settled`] as it ends.
    Tools(Vec<RunCall>),
    /// The answer is to be checked; the verdict goes to [`Run::checked`].
    Check(OutputCheck<'a>),
    /// The run waits: these questions are open, and each answer goes to [`Run::answer`].
    Asks(Vec<Interrupt>),
    /// It is over: [`Run::response`], [`Run::into_response`].
    Done,
}

impl Run {
    pub(super) fn new(driver: Arc<Driver>, machine: TurnMachine) -> Self {
        let mut this = Self { driver, machine, names: Arc::default(), _stop: None };
        this.settle_if_done();
        this
    }

    /// The same as a value of its own, which knows what it is made of.
    pub(crate) fn named(self, names: RunNames) -> Self {
        let stop = self.driver.env.cancel.clone().drop_guard();
        Self { names: Arc::new(names), _stop: Some(stop), ..self }
    }

    /// Next step: what is to be done now. The same state says the same: asking again changes
    /// nothing.
    #[allow(clippy::should_implement_trait, reason = "what it gives borrows the run")]
    pub fn next(&mut self) -> NextStep<'_> {
        match self.machine.next() {
            TurnStep::Model => NextStep::Model(ModelCall::new(&self.driver, &mut self.machine)),
            TurnStep::Check => NextStep::Check(OutputCheck::new(&self.driver, &self.machine)),
            TurnStep::Tools(calls) => {
                let index = self.machine.index();
                let call = |call| RunCall::new(Arc::clone(&self.driver), call, index);
                NextStep::Tools(calls.into_iter().map(call).collect())
            }
            TurnStep::Asks => NextStep::Asks(self.open()),
            TurnStep::Done => NextStep::Done,
        }
    }

    /// The questions that have no answer yet; none where nothing is asked.
    pub fn open(&self) -> Vec<Interrupt> {
        let asking = self.machine.asking();
        asking.map(|asking| asking.answers.open(&asking.message)).unwrap_or_default()
    }

    /// Takes the result of a model call. `false` where the run does not wait for one: it came too
    /// late.
    ///
    /// # Errors
    /// The run is over: with the error of the call, or with one of the loop's (blocked, without a message, a limit).
    /// It owns what was done: [`Error::partial`].
    pub fn answered(&mut self, answer: Result<ModelAnswered>) -> Result<bool> {
        if !matches!(self.machine.next(), TurnStep::Model) {
            return Ok(false);
        }
        let taken = answer.and_then(|answer| self.take_answer(answer));
        taken.map(|()| true).map_err(|error| self.fail(error))
    }

    /// Takes the result of one tool call. `false` where the call is not open: it was settled before, or the
    /// run went on without it.
    ///
    /// # Errors
    /// The run is over: a tool failed with an error that ends it.
    pub fn settled(&mut self, call: Result<CallSettled>) -> Result<bool> {
        if !matches!(self.machine.next(), TurnStep::Tools(_)) {
            return Ok(false);
        }
        call.and_then(|call| self.take_settled(call)).map_err(|error| self.fail(error))
    }

    /// Takes the result of an output check. `false` where none is waited for.
    ///
    /// # Errors
    /// The run is over: a validator failed, or the answer does not fit and the model is not asked again.
    pub fn checked(&mut self, verdict: Result<OutputChecked>) -> Result<bool> {
        if !matches!(self.machine.next(), TurnStep::Check) {
            return Ok(false);
        }
        let taken = verdict.and_then(|verdict| self.take_verdict(verdict));
        taken.map(|()| true).map_err(|error| self.fail(error))
    }

    /// Takes the answer to one open question. The run goes on once all have theirs.
    ///
    /// # Errors
    /// `FailedPrecondition` where nothing is asked, `InvalidArgument` where the answer is to no open question or
    /// does not fit. The run is as it was.
    pub fn answer(&mut self, answer: Answer) -> Result<()> {
        let env = &self.driver.env;
        let Some(asking) = self.machine.asking() else { return Err(E::NothingAsked.into()) };
        let answers = asking.answers.taking(answer, &asking.message)?;
        answers.check(|name| env.tools.get(name), env.settings.strictness())?;
        if !answers.open(&asking.message).is_empty() {
            self.machine.set_answers(answers);
            return Ok(());
        }
        self.machine.resume(&answers)?;
        self.settle_if_done();
        Ok(())
    }

    /// At-most-once calls that a process which is gone had begun, and that are not settled: from now on the run asks
    /// what became of them (`at_most_once`), instead of calling them again. How many there are.
    ///
    /// For whoever takes a run over from another process.
    pub fn ask_about_started(&mut self) -> usize {
        let asked = self.machine.round_mut().map(|round| round.ask_about_started().len());
        self.settle_if_done();
        asked.unwrap_or(0)
    }

    /// The response, once the run is over.
    pub fn response(&self) -> Option<&GenerateResponse> {
        self.machine.response()
    }

    /// The response of a run that is over, or that asks: [`GenerateResponse::is_interrupted`]. One that is neither
    /// gives what there is, as `Aborted` tells.
    ///
    /// # Errors
    /// The run has failed, and the error was told before.
    pub fn into_response(mut self) -> Result<GenerateResponse> {
        match self.machine.next() {
            TurnStep::Done if self.machine.response().is_none() => Err(E::AlreadyFailed.into()),
            TurnStep::Done | TurnStep::Asks => Ok(*self.machine.take_response()),
            _ => match self.machine.fail(E::NotOver.into()).into_partial() {
                Some(partial) => Ok(partial),
                None => Err(E::AlreadyFailed.into()),
            },
        }
    }

    /// Finishes the run: performs what is next until it is over or asks somebody.
    ///
    /// # Errors
    /// As awaiting a [`Generate`](crate::Generate).
    pub async fn finish(mut self) -> Result<GenerateResponse> {
        loop {
            match self.next() {
                NextStep::Model(call) => {
                    let answer = call.perform().await;
                    self.answered(answer)?;
                }
                NextStep::Check(check) => {
                    let verdict = check.perform().await;
                    self.checked(verdict)?;
                }
                NextStep::Tools(calls) => {
                    let driver = Arc::clone(&self.driver);
                    let ran = driver.perform_calls(calls, &mut self).await;
                    ran.map_err(|error| self.fail(error))?;
                }
                NextStep::Asks(_) | NextStep::Done => return self.into_response(),
            }
        }
    }

    fn take_answer(&mut self, answered: ModelAnswered) -> Result<()> {
        let env = &self.driver.env;
        if answered.by != Some(env.asker) {
            if let Some(tools) = answered.tools {
                *self.machine.tools_mut() = tools;
            }
            env.tools.set_offered(answered.offered);
            env.budget.replace(answered.spent);
        }
        self.take_own_answer(answered.answer)
    }

    /// Takes an answer that this process asked for, and counted.
    pub(super) fn take_own_answer(&mut self, mut answer: ModelResponse) -> Result<()> {
        let env = &self.driver.env;
        if let Err(error) = env.budget.settle(&mut answer) {
            return Err(self.machine.refuse(answer, error));
        }
        self.machine.accept(answer)?;
        self.settle_if_done();
        Ok(())
    }

    pub(super) fn take_settled(&mut self, settled: CallSettled) -> Result<bool> {
        let CallSettled { place, index, outcome, used, by } = settled;
        let env = &self.driver.env;
        let is_open = self.machine.round().is_some_and(|round| round.is_open(place));
        if !is_open || index != self.machine.index() {
            tracing::debug!(place, index, "a call was settled that is not open, and is left out");
            return Ok(false);
        }
        if by != Some(env.asker) {
            env.budget.absorb(&used);
        }
        self.machine.finish(place, outcome);
        self.settle_if_done();
        Ok(true)
    }

    pub(super) fn take_verdict(&mut self, checked: OutputChecked) -> Result<()> {
        if let Some(retry) = self.machine.judge(checked.verdict)? {
            self.driver.env.sink.send(retry.chunk());
        }
        Ok(())
    }

    /// Ends the round, once all of its calls are settled.
    fn settle_if_done(&mut self) {
        if !self.machine.round().is_some_and(|round| round.is_settled()) {
            return;
        }
        let driver = &self.driver;
        self.machine.add_usage(&driver.env.budget.take_untold());
        let index = self.machine.index();
        driver.note_past_resumed();
        if let Some(answers) = self.machine.settle() {
            driver.stream_answers(answers, index);
        }
    }

    /// The run is over with `error`, which gets what was done.
    pub(super) fn fail(&mut self, error: Error) -> Error {
        self.machine.add_usage(&self.driver.env.budget.take_untold());
        self.machine.fail(error)
    }

    /// The response of a run that is one round alone.
    pub(super) fn into_round(mut self) -> GenerateResponse {
        self.machine.end_round()
    }
}

/// Counts, never content.
impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run")
            .field("messages", &self.machine.request().messages.len())
            .field("rounds", &self.machine.rounds())
            .finish_non_exhaustive()
    }
}
