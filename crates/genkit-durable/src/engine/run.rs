//! A run for an engine: the steps that are due, and their results.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::step::{EngineStep, StepOutcome, StepResult, StepWork};
use crate::answering::build_call_answer;
use crate::engine::open_steps::OpenSteps;
use crate::error::Error as E;
use crate::flow_state::FlowState;
use crate::outcome::{FlowOutcome, into_flow_outcome, into_response, wrong_kind_error};
use crate::record::{Record, RunBody, StoredError, to_json};
use crate::runs;
use crate::settings::{DurableOptions, StoredState};
use genkit_agent::Instance;
use genkit_agent::{Generate, NextStep, Run};
use genkit_core::{Answer, GenerateResponse, Interrupt, Resume};
use genkit_core::{Error, Result};
use genkit_core::{RunChange, RunId, RunStatus, StoredRun};

/// A durable run that was loaded from the data of its engine, and can be read and continued. See [`engine`](super).
pub struct EngineRun {
    genkit: Instance,
    id: RunId,
    status: RunStatus,
    steps: OpenSteps,
    kept: StoredState,
    error: Option<StoredError>,
    /// The number of log lines that are stored.
    logged: usize,
    body: EngineBody,
}

enum EngineBody {
    Loop(Box<Run>),
    Flow(Box<FlowState>),
    /// The stored body of a finished run, whose model and tools no longer need to exist.
    Over(RunBody),
}

/// Answers to questions of a run, as plain data for [`EngineRun::answer`].
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EngineAnswers(GivenAnswers);

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum GivenAnswers {
    Plain { call: String, answer: Value },
    Resume(Resume),
}

impl EngineAnswers {
    /// Creates an answer from a plain value. `call` is the id of the interrupted call, or the key of a question, as for
    /// [`DurableRun::answer`](crate::DurableRun::answer).
    ///
    /// # Errors
    /// Returns `InvalidArgument` if the value cannot be serialized.
    pub fn plain(call: impl Into<String>, answer: impl Serialize) -> Result<Self> {
        let answer = to_json(answer)?;
        Ok(Self(GivenAnswers::Plain { call: call.into(), answer }))
    }

    /// Creates answers from a list of [`Answer`]s.
    ///
    /// # Errors
    /// Returns `InvalidArgument` if a value in an answer cannot be serialized.
    pub fn all(answers: impl IntoIterator<Item = Answer>) -> Result<Self> {
        let mut resume = Resume::default();
        for answer in answers {
            resume.push_answer(answer)?;
        }
        Ok(Self(GivenAnswers::Resume(resume)))
    }
}

impl EngineRun {
    /// Creates the first change of a run, for the engine to store.
    ///
    /// # Errors
    /// Returns the errors of `Genkit::durable_run`.
    pub async fn first_of_run(genkit: &Instance, id: &RunId, run: Generate) -> Result<RunChange> {
        runs::first_of_run(genkit, id, run, DurableOptions::new()).await
    }

    /// Creates the first change of a flow, for the engine to store.
    ///
    /// # Errors
    /// Returns the errors of `Genkit::durable_flow`.
    pub fn first_of_flow(
        genkit: &Instance,
        id: &RunId,
        flow: &str,
        input: impl Serialize,
    ) -> Result<RunChange> {
        runs::first_of_flow(genkit, id, flow, input, DurableOptions::new())
    }

    /// Loads a run from the data that its engine stores.
    ///
    /// # Errors
    /// Returns an error if the data cannot be read, or if this process lacks a dependency of the
    /// run, such as a tool. Another process may have it.
    pub async fn load(genkit: &Instance, id: &RunId, stored: StoredRun) -> Result<Self> {
        let Record { steps, kept, error, body, .. } = Record::read(id, &stored)?;
        let status = stored.at.status;
        let body = match body {
            body if status.is_over() => EngineBody::Over(body),
            RunBody::Generate(state) => {
                EngineBody::Loop(Box::new(Run::resume(genkit, *state).await?))
            }
            RunBody::Flow(state) => EngineBody::Flow(state),
        };
        let (genkit, id, logged) = (genkit.clone(), id.clone(), stored.log.len());
        Ok(Self { genkit, id, status, steps, kept, error, logged, body })
    }

    /// Returns the status of the run.
    pub fn status(&self) -> RunStatus {
        self.status
    }

    /// Returns the questions that have no answer yet. The list is empty if the run is not interrupted.
    pub fn open_questions(&self) -> Vec<Interrupt> {
        if self.status != RunStatus::InputRequired {
            return Vec::new();
        }
        match &self.body {
            EngineBody::Loop(run) => run.open_questions(),
            EngineBody::Flow(state) => state.open_questions(),
            EngineBody::Over(_) => Vec::new(),
        }
    }

    #[doc(hidden)]
    #[deprecated(note = "renamed to `open_questions`")]
    pub fn open(&self) -> Vec<Interrupt> {
        self.open_questions()
    }

    /// Returns the steps that are due and have not been returned before.
    pub fn due(&mut self) -> Vec<EngineStep> {
        if self.status != RunStatus::Working {
            return Vec::new();
        }
        let (id, steps) = (&self.id, &mut self.steps);
        match &mut self.body {
            EngineBody::Over(_) => Vec::new(),
            EngineBody::Flow(_) if steps.len() > 0 => Vec::new(),
            EngineBody::Flow(state) => {
                let work = StepWork::Flow(state.clone());
                vec![EngineStep::new(id.clone(), steps.add(None), work)]
            }
            EngineBody::Loop(run) => due_of_loop(id, steps, run),
        }
    }

    /// Returns an open step again, by its number. An engine that stores the state of a run can pass the number of a
    /// step to a worker instead of the step, which contains the conversation. Returns `None` if the step is not open.
    pub fn open_step(&mut self, number: u64) -> Option<EngineStep> {
        let call = self.steps.find_step(number)?;
        let work = match (&mut self.body, call) {
            (EngineBody::Over(_), _) => return None,
            (EngineBody::Flow(state), _) => StepWork::Flow(state.clone()),
            (EngineBody::Loop(run), None) => StepWork::Model(Box::new(run.state())),
            (EngineBody::Loop(run), Some(position)) => {
                let NextStep::Tools(calls) = run.next() else { return None };
                let call = calls.iter().find(|call| call.position() == position)?;
                let tool = call.request().name.clone();
                tool_work(run, position, tool)
            }
        };
        Some(EngineStep::new(self.id.clone(), number, work))
    }

    /// Returns the error of a failed run.
    pub fn error(&self) -> Option<Error> {
        self.error.clone().map(StoredError::into_error)
    }

    /// Accepts the result of a step. Returns `false` if the step is no longer open, because the result is too late.
    ///
    /// # Errors
    /// Returns an error if the step belongs to another kind of run.
    pub async fn accept_step_result(&mut self, done: StepResult) -> Result<bool> {
        let Some(call) = self.steps.remove_step(done.number) else {
            tracing::debug!(run = %self.id, step = done.number, "ignoring the result of a step that is no longer open");
            return Ok(false);
        };
        if self.status != RunStatus::Working {
            return Ok(false);
        }
        let ended = match (&mut self.body, done.outcome) {
            (EngineBody::Loop(run), outcome) => take_in_loop(run, call, outcome)?,
            (EngineBody::Flow(state), StepOutcome::Flow(now)) => {
                **state = *now;
                Ok(())
            }
            (EngineBody::Flow(_), StepOutcome::Failed { error, .. }) => Err(error.into_error()),
            _ => return Err(E::UnexpectedStep.into()),
        };
        match ended {
            Ok(()) => self.advance_run().await,
            Err(error) => self.fail_run(&error),
        }
        Ok(true)
    }

    #[doc(hidden)]
    #[deprecated(note = "renamed to `accept_step_result`")]
    pub async fn take(&mut self, done: StepResult) -> Result<bool> {
        self.accept_step_result(done).await
    }

    /// Accepts answers to open questions.
    ///
    /// # Errors
    /// Returns `FailedPrecondition` if no question is open, and `InvalidArgument` if an answer does not match an open
    /// question. Do not store the run after an error.
    pub async fn answer(&mut self, answers: EngineAnswers) -> Result<()> {
        let open = self.open_questions();
        if open.is_empty() {
            let (id, status) = (self.id.to_string(), self.status.as_str());
            return Err(E::AsksNothing { id, status }.into());
        }
        let answers = match answers.0 {
            GivenAnswers::Plain { call, answer } => {
                vec![build_call_answer(&self.id, &open, &call, answer)?]
            }
            GivenAnswers::Resume(resume) => resume.into_answers(),
        };
        for answer in answers {
            match &mut self.body {
                EngineBody::Loop(run) => run.answer(answer)?,
                EngineBody::Flow(state) => drop(state.answer_question(answer)?),
                EngineBody::Over(_) => {}
            }
        }
        self.advance_run().await;
        Ok(())
    }

    /// Cancels the run. Returns `false` if it was already finished.
    pub fn cancel(&mut self) -> bool {
        let is_over = self.status.is_over();
        if !is_over {
            self.status = RunStatus::Cancelled;
        }
        !is_over
    }

    /// Returns the change to store.
    ///
    /// # Errors
    /// Returns an error if the run cannot be serialized.
    pub fn change(&mut self) -> Result<RunChange> {
        let body = match &mut self.body {
            EngineBody::Loop(run) => RunBody::Generate(Box::new(run.state_after(self.logged))),
            EngineBody::Flow(state) => RunBody::Flow(Box::new(state.take_unsaved())),
            EngineBody::Over(body) => body.take_unsaved(self.logged),
        };
        let (steps, kept) = (self.steps.clone(), self.kept.clone());
        let record = Record { steps, kept, error: self.error.clone(), ..Record::new(body) };
        let (head, log) = record.into_lines(&self.id)?;
        self.logged += log.len();
        Ok(RunChange::new(self.status, head).with_log(log))
    }

    /// Returns the response of a run that is finished or interrupted.
    ///
    /// # Errors
    /// Returns the error of the run if it failed, with the partial response, `Cancelled` if it was cancelled, and
    /// `FailedPrecondition` if the run is a flow.
    pub fn response(self) -> Result<GenerateResponse> {
        let body = match self.body {
            EngineBody::Loop(run) => RunBody::Generate(Box::new(run.state())),
            EngineBody::Flow(state) => RunBody::Flow(state),
            EngineBody::Over(body) => body,
        };
        let RunBody::Generate(state) = body else {
            return Err(wrong_kind_error(&self.id, &body, "a run of the loop"));
        };
        into_response(&self.id, &self.genkit.registry, self.status, self.error, *state)
    }

    /// Returns the outcome of a flow: its result or its open questions.
    ///
    /// # Errors
    /// Returns the error of the flow if it failed, `Cancelled` if it was cancelled, and `FailedPrecondition` if the run
    /// is not a flow.
    pub fn flow_outcome(self) -> Result<FlowOutcome> {
        let body = match self.body {
            EngineBody::Flow(state) => RunBody::Flow(state),
            EngineBody::Over(body) => body,
            EngineBody::Loop(run) => RunBody::Generate(Box::new(run.state())),
        };
        let RunBody::Flow(state) = body else {
            return Err(wrong_kind_error(&self.id, &body, "a flow"));
        };
        into_flow_outcome(&self.id, self.status, self.error, *state)
    }

    /// Performs all work that does not need a step of the engine, and updates the status.
    async fn advance_run(&mut self) {
        let ended = match &mut self.body {
            EngineBody::Over(_) => return,
            EngineBody::Flow(state) => {
                self.status = state.run_status();
                return;
            }
            EngineBody::Loop(run) => check(run).await,
        };
        match (ended, &mut self.body) {
            (Err(error), _) => self.fail_run(&error),
            (Ok(()), EngineBody::Loop(run)) => {
                self.status = match run.next() {
                    NextStep::Asks(_) => RunStatus::InputRequired,
                    NextStep::Done => RunStatus::Completed,
                    _ => RunStatus::Working,
                };
            }
            _ => {}
        }
    }

    fn fail_run(&mut self, error: &Error) {
        (self.status, self.error) = (RunStatus::Failed, Some(StoredError::from_error(error)));
        if let (EngineBody::Loop(run), Some(done)) = (&self.body, error.partial()) {
            self.body = EngineBody::Over(RunBody::Generate(Box::new(run.failed_state(done, 0))));
        }
    }
}

/// Performs output checks here rather than as steps, because they are fast and have no side effects.
async fn check(run: &mut Run) -> Result<()> {
    while let NextStep::Check(check) = run.next() {
        let checked = check.perform().await;
        run.accept_verdict(checked)?;
    }
    Ok(())
}

fn due_of_loop(id: &RunId, steps: &mut OpenSteps, run: &mut Run) -> Vec<EngineStep> {
    let calls: Vec<_> = match run.next() {
        NextStep::Model(_) if steps.len() > 0 => return Vec::new(),
        NextStep::Model(_) => {
            let work = StepWork::Model(Box::new(run.state()));
            return vec![EngineStep::new(id.clone(), steps.add(None), work)];
        }
        NextStep::Tools(calls) => {
            let due = calls.iter().filter(|call| !steps.has_call(call.position()));
            due.map(|call| (call.position(), call.request().name.clone())).collect()
        }
        // `NextStep::Check`, `NextStep::Asks`, `NextStep::Done`
        _ => return Vec::new(),
    };
    let free = run.parallel_tools().saturating_sub(steps.len());
    let step = |(position, tool)| {
        let work = tool_work(run, position, tool);
        EngineStep::new(id.clone(), steps.add(Some(position)), work)
    };
    calls.into_iter().take(free).map(step).collect()
}

fn tool_work(run: &Run, (index, place): (usize, usize), tool: String) -> StepWork {
    // A tool call does not need the conversation.
    StepWork::Call { index, place, tool, state: Box::new(run.state_after(usize::MAX)) }
}

/// Accepts the result of a step. The inner result is an error if it ends the run.
///
/// # Errors
/// Returns an error if the result does not belong to a step of this kind of run.
fn take_in_loop(
    run: &mut Run,
    call: Option<(usize, usize)>,
    outcome: StepOutcome,
) -> Result<Result<()>> {
    Ok(match (outcome, call) {
        (StepOutcome::Model(answered), _) => run.accept_model_result(Ok(*answered)).map(drop),
        (StepOutcome::Call(settled), _) => run.accept_call_result(Ok(*settled)).map(drop),
        (StepOutcome::Unknown { once }, Some((_, place))) => {
            run.note_started(place);
            for (key, done) in once {
                run.note_once(place, key, done);
            }
            run.ask_about_started();
            Ok(())
        }
        (StepOutcome::Failed { error, .. }, None) => {
            run.accept_model_result(Err(error.into_error())).map(drop)
        }
        (StepOutcome::Failed { error, .. }, Some(_)) => {
            run.accept_call_result(Err(error.into_error())).map(drop)
        }
        (StepOutcome::Unknown { .. }, None) | (StepOutcome::Flow(_), _) => {
            return Err(E::UnexpectedStep.into());
        }
    })
}

/// Prints no contents.
impl std::fmt::Debug for EngineRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EngineRun")
            .field("id", &self.id)
            .field("status", &self.status)
            .field("open_steps", &self.steps.len())
            .finish_non_exhaustive()
    }
}

/// Prints no contents.
impl std::fmt::Debug for EngineAnswers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EngineAnswers").finish_non_exhaustive()
    }
}
