//! Drives a run in its workflow: performs due steps in activities, and passes their results, answers and the
//! cancellation to the run, one after the other.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use genkit::durable::{RunId, RunStatus};
use temporalio_common::RetryPolicy;
use temporalio_common::error::{ActivityExecutionError, IncomingError};
use temporalio_sdk::{
    ActivityOptions, LocalActivityOptions, WorkflowCancellationToken, WorkflowContext,
};

use crate::error::Error as E;
use crate::limits::{
    ADVANCE_TIMEOUT, HEARTBEAT, LIMIT_MARGIN, LONGEST_RETRY, LONGEST_STEP, MAX_LOST_WORKERS,
};
use crate::steps::{STOPPED, Steps};
use crate::wire::{
    AdvanceInput, AdvanceOutput, Advanced, AnswerError, DueStep, RunEvent, RunInput, StepInput,
    StepKind, StepOutput, pack, unpack,
};
use crate::workflow::{Recorded, RunWorkflow, publish_status};

type StepFuture<'a> = Pin<Box<dyn Future<Output = Result<String, RunEnd>> + 'a>>;

/// The reason why a workflow ends before its run has ended.
pub(crate) enum RunEnd {
    /// The history is long, so another workflow continues.
    Continue(RunInput),
    /// Temporal cannot perform or store the run.
    Failed(String),
}

impl RunEnd {
    pub(crate) fn message(self) -> String {
        match self {
            Self::Continue(_) => "another workflow continues the run".to_owned(),
            Self::Failed(message) => message,
        }
    }
}

impl From<genkit::Error> for RunEnd {
    fn from(error: genkit::Error) -> Self {
        Self::Failed(error.chain())
    }
}

/// An event that a run waits for.
enum Next {
    Cancelled,
    Answers,
    Settled(usize, Result<String, RunEnd>),
}

pub(crate) struct Driver<'a> {
    ctx: &'a WorkflowContext<RunWorkflow>,
    is_indexed: bool,
    shown: RunStatus,
    due: VecDeque<DueStep>,
    running: Vec<StepFuture<'a>>,
}

impl<'a> Driver<'a> {
    pub(crate) fn new(ctx: &'a WorkflowContext<RunWorkflow>, is_indexed: bool) -> Self {
        let shown =
            ctx.state(|run| run.data.as_ref().map_or(RunStatus::Working, |data| data.status));
        Self { ctx, is_indexed, shown, due: VecDeque::new(), running: Vec::new() }
    }

    /// Drives the run to its end. Returns the error of a run that failed or was cancelled.
    pub(crate) async fn drive(
        mut self,
        due: Option<Vec<DueStep>>,
    ) -> Result<Option<String>, RunEnd> {
        let (mut status, mut error) = (self.shown, None);
        match due {
            Some(due) => self.due.extend(due),
            None => {
                (status, error) = self.advance(RunEvent::Started).await?.unwrap_or((status, None))
            }
        }
        while !status.is_over() {
            self.start_steps()?;
            let event = match self.wait_for_event().await {
                Next::Cancelled => RunEvent::Cancelled,
                Next::Settled(at, done) => {
                    drop(self.running.remove(at));
                    RunEvent::Settled(done?)
                }
                Next::Answers => {
                    let next = self.ctx.state_mut(|run| run.answers.pop_front());
                    let Some((ticket, answers)) = next else { continue };
                    let advanced = self.advance(RunEvent::Answered(answers)).await?;
                    let refusal = advanced.as_ref().err().cloned();
                    self.ctx.state_mut(|run| run.reply(ticket, refusal));
                    (status, error) = advanced.unwrap_or((status, None));
                    continue;
                }
            };
            (status, error) = self.advance(event).await?.unwrap_or((status, None));
        }
        Ok((status != RunStatus::Completed).then(|| error.unwrap_or_default()))
    }

    /// Starts the steps that are due. If the history is long, starts none of them, and returns [`RunEnd::Continue`]
    /// once no step is running.
    fn start_steps(&mut self) -> Result<(), RunEnd> {
        if !self.ctx.continue_as_new_suggested() {
            while let Some(step) = self.due.pop_front() {
                self.running.push(Box::pin(perform_step(self.ctx, step)));
            }
            return Ok(());
        }
        let has_answers = self.ctx.state(|run| !run.answers.is_empty());
        if !self.running.is_empty() || has_answers || !self.ctx.all_handlers_finished() {
            return Ok(());
        }
        let Some(data) = self.ctx.state(|run| run.data.clone()) else { return Ok(()) };
        let due = Some(std::mem::take(&mut self.due).into());
        Err(RunEnd::Continue(RunInput { data, is_indexed: self.is_indexed, due }))
    }

    /// Waits for the next event. The futures are always polled in the same order, as a replay requires.
    async fn wait_for_event(&mut self) -> Next {
        let mut cancelled = pin!(self.ctx.cancelled());
        let mut answers = pin!(self.ctx.wait_condition(|run| !run.answers.is_empty()));
        poll_fn(|cx| {
            if cancelled.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Next::Cancelled);
            }
            if answers.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Next::Answers);
            }
            for (at, step) in self.running.iter_mut().enumerate() {
                if let Poll::Ready(done) = step.as_mut().poll(cx) {
                    return Poll::Ready(Next::Settled(at, done));
                }
            }
            Poll::Pending
        })
        .await
    }

    /// Passes an event to the run, and accepts its change. Returns the status and the error of a failed run.
    async fn advance(
        &mut self,
        event: RunEvent,
    ) -> Result<Result<(RunStatus, Option<String>), AnswerError>, RunEnd> {
        let Advanced { status, head, log, due, error } = match self.find_changes(event).await? {
            AdvanceOutput::Advanced(advanced) => advanced,
            AdvanceOutput::Refused(refusal) => return Ok(Err(refusal)),
            AdvanceOutput::TooLarge(message) => return Err(RunEnd::Failed(message)),
        };
        self.ctx.state_mut(|run| {
            if let Some(data) = &mut run.data {
                (data.status, data.head) = (status, head);
                data.log.extend(log);
            }
        });
        self.due.extend(due);
        if status != self.shown {
            self.shown = status;
            publish_status(self.ctx, status, self.is_indexed);
        }
        Ok(Ok((status, error)))
    }
}

impl Driver<'_> {
    /// Calls the activity that determines the change of the run.
    async fn find_changes(&self, event: RunEvent) -> Result<AdvanceOutput, RunEnd> {
        let run = RunId::new(self.ctx.workflow_id())?;
        let data = self.ctx.state(|run| run.data.clone());
        let input = pack("the state of the run", &AdvanceInput { run, data, event })?;
        let local = LocalActivityOptions::builder()
            .start_to_close_timeout(ADVANCE_TIMEOUT)
            .retry_policy(RetryPolicy::builder().maximum_attempts(1).build())
            .cancellation_token(WorkflowCancellationToken::new())
            .build();
        let changed = self.ctx.execute_local_activity(Steps::advance, input.clone(), local).await;
        if let Ok(output) = changed {
            return Ok(unpack(&output)?);
        }
        // This worker lacks a dependency of the run, such as a tool. Temporal passes the call to other workers until
        // one succeeds.
        let remote = ActivityOptions::with_start_to_close_timeout(ADVANCE_TIMEOUT)
            .retry_policy(RetryPolicy::builder().maximum_interval(LONGEST_RETRY).build())
            .cancellation_token(WorkflowCancellationToken::new())
            .build();
        let changed = self.ctx.execute_activity(Steps::advance, input, remote).await;
        Ok(unpack(&changed.map_err(|error| RunEnd::Failed(error_message(&error)))?)?)
    }
}

/// Performs a step on any worker, and returns its result. Repeats the step if its worker is lost, or after a temporary
/// error.
async fn perform_step(ctx: &WorkflowContext<RunWorkflow>, step: DueStep) -> Result<String, RunEnd> {
    let (number, mut lives, mut is_begun, mut tries, mut known) = (step.number, 0, false, 0, 0);
    for attempt in 1.. {
        let run = RunId::new(ctx.workflow_id())?;
        let recorded = ctx.state_mut(|run| {
            let recorded = run.recorded.entry(number).or_insert_with(Recorded::default);
            recorded.attempt = attempt;
            recorded.values.clone()
        });
        if recorded.len() > known {
            (lives, known) = (0, recorded.len());
        }
        if lives >= MAX_LOST_WORKERS {
            return Err(RunEnd::Failed(E::Poisonous { name: step.name, lives }.to_string()));
        }
        let data = if step.step.is_none() { ctx.state(|run| run.data.clone()) } else { None };
        let step_json = step.step.clone();
        let input =
            StepInput { run, number, attempt, tries, is_begun, recorded, step: step_json, data };
        let input = pack("the input of a step", &input)?;
        let options = activity_options(&step);
        let ran = match step.kind {
            StepKind::Model => ctx.execute_activity(Steps::model, input, options).await,
            StepKind::Tool => ctx.execute_activity(Steps::tool, input, options).await,
            StepKind::Flow => ctx.execute_activity(Steps::flow, input, options).await,
        };
        match ran {
            Ok(output) => {
                let StepOutput { done, retry_after } = unpack(&output)?;
                let Some(wait) = retry_after else {
                    ctx.state_mut(|run| run.recorded.remove(&number));
                    return Ok(done);
                };
                ctx.timer(Duration::from_millis(wait)).await;
                (tries, is_begun) = (tries + 1, false);
            }
            Err(error) => {
                // The run is cancelled, which ends the workflow.
                if error.as_cancelled().is_some() {
                    std::future::pending::<()>().await;
                }
                is_begun = true;
                match error.cause() {
                    Some(IncomingError::Timeout(_)) => lives += 1,
                    Some(IncomingError::Application(why)) if why.type_name() == Some(STOPPED) => {}
                    _ => return Err(RunEnd::Failed(error_message(&error))),
                }
            }
        }
    }
    unreachable!("a step is not performed so often")
}

fn activity_options(step: &DueStep) -> ActivityOptions {
    let limit =
        step.limit.map_or(LONGEST_STEP, |limit| Duration::from_millis(limit) + LIMIT_MARGIN);
    // The server retries a step only if no worker has started it. `perform_step` makes all other attempts, because they
    // need the results of `once`.
    let retries = RetryPolicy::builder()
        .maximum_interval(LONGEST_RETRY)
        .non_retryable_error_types(["TemporalTimeout:Heartbeat", "TemporalTimeout:StartToClose"])
        .build();
    ActivityOptions::with_start_to_close_timeout(limit.min(LONGEST_STEP))
        .heartbeat_timeout(HEARTBEAT)
        .retry_policy(retries)
        .summary(step.name.clone())
        .build()
}

fn error_message(error: &ActivityExecutionError) -> String {
    match error.cause() {
        Some(cause) => cause.failure().message.clone(),
        None => error.to_string(),
    }
}
