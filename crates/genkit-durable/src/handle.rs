//! Handles of durable runs: waiting for them, answering their questions, ending them.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;

use super::answering::answer_to;
use super::drive::{WorkResult, work_on};
use super::error::Error as E;
use super::inside::mail::{Mail, SentHead, join_head, split_head};
use super::limits::WATCH;
use super::outcome::{FlowOutcome, flow_outcome_of, other_kind, response_of};
use super::record::{Record, RunBody};
use super::work::rules::WorkRules;
use genkit_agent::Instance;
use genkit_agent::{NextStep, Run};
use genkit_core::internal::run_store::now_ms;
use genkit_core::{Answer, GenerateResponse, Interrupt};
use genkit_core::{ErrorKind, Result};
use genkit_core::{RunChange, RunHead, RunId, RunStatus, RunStore, StoredRun};

/// A durable run, created by `Genkit::durable_run`.
#[derive(Clone, Debug)]
pub struct DurableRun(pub(crate) Handle);

/// A durable flow, created by `Genkit::durable_flow`.
#[derive(Clone, Debug)]
pub struct DurableFlow(pub(crate) Handle);

impl DurableRun {
    /// Waits until the run finishes or is interrupted. If no worker has the lease of the run, this process performs the
    /// remaining steps.
    ///
    /// Dropping the future stops the steps that it performs. The run then continues from its saved state in any process
    /// that calls `wait` or runs a worker. Questions are in the response: see [`GenerateResponse::is_interrupted`].
    ///
    /// # Errors
    /// The error of the failed run, with the partial response ([`Error::partial`](genkit_core::Error::partial)); `Cancelled`;
    /// an error if this process lacks something that the run needs; any error from the store.
    pub async fn wait(&self) -> Result<GenerateResponse> {
        let handle = &self.0;
        let (stored, record) = handle.wait_until_settled().await?;
        let RunBody::Generate(state) = record.body else {
            return Err(other_kind(&handle.id, &record.body, "a run of `durable_run`"));
        };
        let (status, registry) = (stored.at.status, &handle.genkit.registry);
        response_of(&handle.id, registry, status, record.error, *state)
    }
}

impl DurableFlow {
    /// Waits until the flow finishes or is interrupted. If no worker has the lease of the flow, this process performs
    /// the remaining steps.
    ///
    /// # Errors
    /// The error of the failed flow; `Cancelled`; an error if this process lacks something that the flow needs; any
    /// error from the store.
    pub async fn wait(&self) -> Result<FlowOutcome> {
        let handle = &self.0;
        let (stored, record) = handle.wait_until_settled().await?;
        let RunBody::Flow(state) = record.body else {
            return Err(other_kind(&handle.id, &record.body, "a run of `durable_flow`"));
        };
        flow_outcome_of(&handle.id, stored.at.status, record.error, *state)
    }
}

/// The methods that runs and flows have in common.
macro_rules! handle_methods {
    ($($handle:ident),*) => {$(
        impl $handle {
            /// Returns the id of the run.
            pub fn id(&self) -> &RunId {
                &self.0.id
            }

            /// Returns the saved status of the run.
            ///
            /// # Errors
            /// Returns `NotFound` if the run was removed, or an error if the store cannot be read.
            pub async fn status(&self) -> Result<RunStatus> {
                Ok(self.0.peek_head().await?.status)
            }

            /// Returns the questions without an answer. Empty if the run is not interrupted.
            ///
            /// # Errors
            /// The errors of [`status`](Self::status).
            pub async fn open_questions(&self) -> Result<Vec<Interrupt>> {
                Ok(self.0.load_run().await?.1.body.open_questions())
            }

            #[doc(hidden)]
            #[deprecated(note = "renamed to `open_questions`")]
            pub async fn open(&self) -> Result<Vec<Interrupt>> {
                self.open_questions().await
            }

            /// Answers the question of `call`, which is the `ref` of the interrupted call or the key of a question. Any
            /// process with the same registry may answer.
            ///
            /// For an approval pass true or false; for a form pass its fields, or null to decline; for
            /// [`Context::interrupt`](genkit_core::Context::interrupt) pass the value that it returns. For an at-most-once
            /// call with an unknown outcome (`#[tool(at_most_once)]`), true runs it again, and false reports it to the
            /// model as not run. The run continues once all open questions are answered.
            ///
            /// # Errors
            /// `FailedPrecondition` if no question is open, `InvalidArgument` if the answer does not match an
            /// open question, and any error from the store. On error the run is unchanged.
            pub async fn answer(&self, call: &str, answer: impl Serialize) -> Result<()> {
                self.0.answer_call(call, answer).await
            }

            /// Sends a signal, which the run receives with
            /// [`wait_for_signal`](crate::DurableContext::wait_for_signal), now or later. It is saved before this
            /// returns, and wakes a run that waits for it.
            ///
            /// If the store fails, it is not known whether the signal was sent.
            ///
            /// # Errors
            /// `NotFound` if the run was removed, `FailedPrecondition` if it is finished, `ResourceExhausted` if it has
            /// not received earlier signals (1,000, or 1 MiB), `InvalidArgument` if `value` does not serialize, and any
            /// error from the store.
            pub async fn signal(&self, name: &str, value: impl Serialize) -> Result<()> {
                self.0.send_signal(name, value).await
            }

            /// Returns the value that the run last published with
            /// [`publish_status`](crate::DurableContext::publish_status). It stays readable when the run is finished.
            ///
            /// # Errors
            /// `NotFound` if the run was removed, `InvalidArgument` if the value is not a `T`, and any error from the
            /// store.
            pub async fn published_status<T: DeserializeOwned>(&self) -> Result<Option<T>> {
                self.0.read_published().await
            }

            /// Answers each open question that `answer` returns an [`Answer`] to. Use it for denials with a reason,
            /// other arguments, or a response on behalf of a tool.
            ///
            /// # Errors
            /// The errors of `answer`.
            pub async fn answer_with(
                &self,
                answer: impl FnMut(&Interrupt) -> Option<Answer>,
            ) -> Result<()> {
                self.0.answer_with(answer).await
            }

            /// Cancels the run. Running steps are stopped within a few seconds, and are not saved. Returns `false` if
            /// the run was already finished.
            ///
            /// # Errors
            /// The errors of [`status`](Self::status).
            pub async fn cancel(&self) -> Result<bool> {
                self.0.cancel_run().await
            }

            /// Continues a failed or cancelled run from the step where it ended. Saved results are kept; the attempts of
            /// the step are counted from zero. Returns `false` if the run has not failed and was not cancelled.
            ///
            /// # Errors
            /// The errors of [`status`](Self::status). `FailedPrecondition` if an older version stored the failure.
            pub async fn retry(&self) -> Result<bool> {
                self.0.retry_run().await
            }

            /// Removes the run and its data from the store. Its id may then be used again. Returns `false` if the run
            /// did not exist.
            ///
            /// # Errors
            /// Any error from the store.
            pub async fn remove(&self) -> Result<bool> {
                self.0.store.remove(&self.0.id).await
            }
        }
    )*};
}

handle_methods!(DurableRun, DurableFlow);

/// A run in a store.
#[derive(Clone)]
pub(crate) struct Handle {
    genkit: Instance,
    store: Arc<dyn RunStore>,
    id: RunId,
    /// The incarnation that this handle has seen first. Clones share it.
    incarnation: Arc<OnceLock<u64>>,
}

impl Handle {
    pub(crate) fn new(genkit: &Instance, store: Arc<dyn RunStore>, id: RunId) -> Self {
        Self { genkit: genkit.clone(), store, id, incarnation: Arc::default() }
    }

    /// Notes the run that this handle belongs to.
    pub(crate) fn of_incarnation(self, head: &RunHead) -> Self {
        let _ = self.incarnation.set(head.incarnation);
        self
    }

    /// Fails if the run was removed and another run was created with its id.
    fn check_incarnation(&self, head: &RunHead) -> Result<()> {
        match *self.incarnation.get_or_init(|| head.incarnation) == head.incarnation {
            true => Ok(()),
            false => Err(E::Replaced(self.id.to_string()).into()),
        }
    }

    async fn peek_head(&self) -> Result<RunHead> {
        let head = self.store.peek(&self.id).await?;
        let head = head.ok_or_else(|| E::NoRun(self.id.to_string()))?;
        self.check_incarnation(&head)?;
        Ok(head)
    }

    async fn load_run(&self) -> Result<(StoredRun, Record)> {
        let stored = self.store.load(&self.id).await?;
        let stored = stored.ok_or_else(|| E::NoRun(self.id.to_string()))?;
        self.check_incarnation(&stored.at)?;
        let record = Record::read(&self.id, &stored)?;
        Ok((stored, record))
    }

    /// Works on the run until it is finished or interrupted.
    async fn wait_until_settled(&self) -> Result<(StoredRun, Record)> {
        let (stop, rules) = (CancellationToken::new(), WorkRules::default());
        let mut pause = Duration::from_millis(10);
        loop {
            let head = self.peek_head().await?;
            if head.status != RunStatus::Working {
                if head.status == RunStatus::Cancelled {
                    self.genkit.runs.resting.cancel_run(&self.id);
                }
                return self.load_run().await;
            }
            let later = head.wake_at_ms.unwrap_or(0).saturating_sub(now_ms());
            if later == 0 {
                match work_on(&self.genkit, &self.store, &self.id, &stop, &rules).await {
                    Ok(WorkResult::Settled) => continue,
                    Ok(_) => {}
                    // Another worker continues the run, or it was cancelled.
                    Err(error) if error.kind() == ErrorKind::Aborted => {}
                    Err(error) => return Err(error),
                }
            }
            let until = if later == 0 { pause } else { Duration::from_millis(later) };
            tokio::time::sleep(until.min(WATCH)).await;
            pause = (pause * 2).min(WATCH);
        }
    }

    async fn answer_call(&self, call: &str, value: impl Serialize) -> Result<()> {
        let value =
            serde_json::to_value(value).map_err(|why| E::ValueUnserializable(why.to_string()))?;
        self.change_run(|open| Ok(vec![answer_to(&self.id, open, call, value.clone())?])).await
    }

    async fn answer_with(
        &self,
        mut answer: impl FnMut(&Interrupt) -> Option<Answer>,
    ) -> Result<()> {
        self.change_run(|open| Ok(open.iter().filter_map(&mut answer).collect())).await
    }

    /// Adds answers to the open questions. Retries if another process changed the run in the meantime.
    async fn change_run(
        &self,
        mut answers: impl FnMut(&[Interrupt]) -> Result<Vec<Answer>>,
    ) -> Result<()> {
        loop {
            let (stored, record) = self.load_run().await?;
            if stored.at.status != RunStatus::InputRequired {
                let (id, status) = (self.id.to_string(), stored.at.status.as_str());
                return Err(E::AsksNothing { id, status }.into());
            }
            let answers = answers(&record.body.open_questions())?;
            let kept = record.kept;
            let (status, body) = self.apply_answer(record.body, answers, stored.log.len()).await?;
            let (head, log) = Record { kept, ..Record::new(body) }.into_lines(&self.id)?;
            let change = RunChange::new(status, head).with_log(log);
            let change = change.with_incarnation(stored.at.incarnation);
            if self.store.save(&self.id, stored.at.revision, &change).await?.is_some() {
                return Ok(());
            }
        }
    }

    async fn apply_answer(
        &self,
        body: RunBody,
        answers: Vec<Answer>,
        logged: usize,
    ) -> Result<(RunStatus, RunBody)> {
        match body {
            RunBody::Generate(state) => {
                let mut run = Run::resume(&self.genkit, *state).await?;
                for answer in answers {
                    run.answer(answer)?;
                }
                let asks = matches!(run.next(), NextStep::Asks(_));
                let status = if asks { RunStatus::InputRequired } else { RunStatus::Working };
                Ok((status, RunBody::Generate(Box::new(run.state_after(logged)))))
            }
            RunBody::Flow(mut state) => {
                let mut status = RunStatus::InputRequired;
                for answer in answers {
                    status = state.answer_question(answer)?;
                }
                Ok((status, RunBody::Flow(state)))
            }
        }
    }

    pub(crate) async fn retry_run(&self) -> Result<bool> {
        loop {
            let (stored, mut record) = self.load_run().await?;
            let is_failed = stored.at.status == RunStatus::Failed;
            if !is_failed && stored.at.status != RunStatus::Cancelled {
                return Ok(false);
            }
            let (status, body) = match (record.body, record.before.take()) {
                (RunBody::Generate(state), None) if !is_failed => {
                    self.apply_answer(RunBody::Generate(state), Vec::new(), stored.log.len())
                        .await?
                }
                (RunBody::Generate(state), Some(before))
                    if state.messages.len() == stored.log.len() =>
                {
                    (RunStatus::Working, RunBody::Generate(before))
                }
                (RunBody::Generate(_), _) => return Err(E::NoRetry(self.id.to_string()).into()),
                (RunBody::Flow(mut state), _) => {
                    (state.run_status(), RunBody::Flow(Box::new(state.take_unsaved())))
                }
            };
            let kept = record.kept;
            let (head, log) = Record { kept, ..Record::new(body) }.into_lines(&self.id)?;
            let change = RunChange::new(status, head).with_log(log);
            let change = change.with_incarnation(stored.at.incarnation);
            if self.store.save(&self.id, stored.at.revision, &change).await?.is_some() {
                return Ok(true);
            }
        }
    }

    /// Adds mail to a run that is not finished. A run whose calls wait for mail continues at once.
    pub(crate) async fn send_mail(
        &self,
        mut add: impl FnMut(&mut Mail) -> std::result::Result<(), E>,
    ) -> Result<()> {
        loop {
            let stored = self.store.load(&self.id).await?;
            let stored = stored.filter(|_| !self.id.is_of_server());
            let stored = stored.ok_or_else(|| E::NoRun(self.id.to_string()))?;
            self.check_incarnation(&stored.at)?;
            if stored.at.status.is_over() {
                let (id, status) = (self.id.to_string(), stored.at.status.as_str());
                return Err(E::NoSignal { id, status }.into());
            }
            let (before, mut mail) = split_head(&stored.head);
            add(&mut mail)?;
            let sent = SentHead::read(&stored.head);
            let change = RunChange::new(stored.at.status, join_head(before, &mail)?)
                .with_wake_at_ms(stored.at.wake_at_ms.filter(|_| !sent.is_listening()))
                .with_error(sent.error_text())
                .with_incarnation(stored.at.incarnation);
            if self.store.save(&self.id, stored.at.revision, &change).await?.is_some() {
                return Ok(());
            }
        }
    }

    pub(crate) async fn send_signal(&self, name: &str, value: impl Serialize) -> Result<()> {
        let value =
            serde_json::to_value(value).map_err(|why| E::ValueUnserializable(why.to_string()))?;
        self.send_mail(|mail| mail.add_signal(name, value.clone())).await
    }

    async fn read_published<T: DeserializeOwned>(&self) -> Result<Option<T>> {
        let Some(value) = self.load_run().await?.1.kept.published else { return Ok(None) };
        let why = |why: serde_json::Error| E::PublishedType {
            id: self.id.to_string(),
            why: why.to_string(),
        };
        Ok(Some(serde_json::from_value(value).map_err(why)?))
    }

    pub(crate) async fn cancel_run(&self) -> Result<bool> {
        loop {
            // A run that this version cannot read can be cancelled as well.
            let stored = self.store.load(&self.id).await?;
            let stored = stored.ok_or_else(|| E::NoRun(self.id.to_string()))?;
            self.check_incarnation(&stored.at)?;
            if stored.at.status.is_over() {
                return Ok(false);
            }
            let change = RunChange::new(RunStatus::Cancelled, stored.head)
                .with_incarnation(stored.at.incarnation);
            if self.store.save(&self.id, stored.at.revision, &change).await?.is_some() {
                self.genkit.runs.resting.cancel_run(&self.id);
                return Ok(true);
            }
        }
    }
}

impl std::fmt::Debug for Handle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Handle").field("id", &self.id).finish_non_exhaustive()
    }
}
