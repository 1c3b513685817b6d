//! Handles of the runs that an engine stores.

use std::marker::PhantomData;
use std::time::Duration;

use genkit_core::{Answer, Error, ErrorKind, GenerateResponse, Interrupt, Result};
use genkit_core::{RunId, RunStatus};
use serde::Serialize;
use tokio::time::Instant;

use super::run::{EngineAnswers, EngineRun};
use crate::error::Error as E;
use crate::limits::{ENGINE_PATIENCE, WATCH};
use crate::outcome::FlowOutcome;

/// A client of an engine, for the handles of its runs. If a run does not exist, the methods return `None`.
pub trait EngineClient: Clone + Send + Sync + 'static {
    /// Returns the status of a run.
    fn run_status(&self, run: &RunId) -> impl Future<Output = Result<Option<RunStatus>>> + Send;

    /// Loads a run.
    fn load_run(&self, run: &RunId) -> impl Future<Output = Result<Option<EngineRun>>> + Send;

    /// Passes answers to a run, and waits until the run has accepted them.
    fn answer_run(
        &self,
        run: &RunId,
        answers: EngineAnswers,
    ) -> impl Future<Output = Result<Option<()>>> + Send;

    /// Cancels a run. Returns `false` if it was already finished.
    fn cancel_run(&self, run: &RunId) -> impl Future<Output = Result<Option<bool>>> + Send;

    /// Deletes a run and its data, and ends its running steps.
    fn delete_run(&self, run: &RunId) -> impl Future<Output = Result<Option<()>>> + Send;
}

/// A durable run that an engine stores. `K` is [`LoopKind`] for a run of the loop and [`FlowKind`] for a flow.
pub struct EngineHandle<C, K = LoopKind> {
    client: C,
    id: RunId,
    kind: PhantomData<fn() -> K>,
}

/// The kind of a run that calls a model in a loop, in the type of its [`EngineHandle`].
#[derive(Debug)]
pub enum LoopKind {}

/// The kind of a flow, in the type of its [`EngineHandle`].
#[derive(Debug)]
pub enum FlowKind {}

impl<C: EngineClient> EngineHandle<C, LoopKind> {
    /// Waits until the run finishes or is interrupted (see [`GenerateResponse::is_interrupted`]).
    ///
    /// # Errors
    /// Returns the error of the run if it failed, with the partial response
    /// ([`Error::partial`](genkit_core::Error::partial)), `Cancelled` if it was cancelled, and `Unavailable` if the
    /// engine does not respond for a minute.
    pub async fn wait(&self) -> Result<GenerateResponse> {
        self.wait_settled().await?.response()
    }
}

impl<C: EngineClient> EngineHandle<C, FlowKind> {
    /// Waits until the flow finishes or is interrupted.
    ///
    /// # Errors
    /// Returns the error of the flow if it failed, `Cancelled` if it was cancelled, and `Unavailable` if the engine
    /// does not respond for a minute.
    pub async fn wait(&self) -> Result<FlowOutcome> {
        self.wait_settled().await?.flow_outcome()
    }
}

impl<C: EngineClient, K> EngineHandle<C, K> {
    /// Creates a handle of the run with this id, which may not exist.
    pub fn new(client: C, id: RunId) -> Self {
        Self { client, id, kind: PhantomData }
    }

    /// Returns the id of the run.
    pub fn id(&self) -> &RunId {
        &self.id
    }

    /// Returns the status of the run.
    ///
    /// # Errors
    /// Returns `NotFound` if the run was deleted, and `Unavailable` if the engine does not respond.
    pub async fn status(&self) -> Result<RunStatus> {
        self.require_run(self.client.run_status(&self.id).await?)
    }

    /// Returns the questions that have no answer yet. The list is empty if the run is not interrupted.
    ///
    /// # Errors
    /// Returns the errors of [`status`](Self::status).
    pub async fn open(&self) -> Result<Vec<Interrupt>> {
        Ok(self.load_run().await?.open_questions())
    }

    /// Answers the question of `call`, which is the id of the interrupted call or the key of a question. Any process
    /// can answer it. For the meaning of `answer`, see [`DurableRun::answer`](crate::DurableRun::answer).
    ///
    /// # Errors
    /// Returns `FailedPrecondition` if no question is open, `InvalidArgument` if the answer does not match an open
    /// question, and the errors of [`status`](Self::status). On error the run is unchanged.
    pub async fn answer(&self, call: &str, answer: impl Serialize) -> Result<()> {
        self.send_answers(EngineAnswers::plain(call, answer)?).await
    }

    /// Calls `answer` for each open question. If it returns an [`Answer`], answers the question. Use this to deny a call
    /// with a reason, to change its arguments, or to respond on behalf of the tool.
    ///
    /// # Errors
    /// Returns the errors of [`answer`](Self::answer).
    pub async fn answer_with(
        &self,
        answer: impl FnMut(&Interrupt) -> Option<Answer>,
    ) -> Result<()> {
        let open = self.open().await?;
        self.send_answers(EngineAnswers::all(open.iter().filter_map(answer))?).await
    }

    /// Cancels the run. Running steps are notified, on any worker. Returns `false` if the run was already
    /// finished.
    ///
    /// # Errors
    /// Returns the errors of [`status`](Self::status).
    pub async fn cancel(&self) -> Result<bool> {
        self.require_run(self.client.cancel_run(&self.id).await?)
    }

    /// Deletes the run and its data from the engine, and ends its running steps. Once the engine has deleted the data,
    /// the id can be used again. Returns `false` if the run did not exist.
    ///
    /// # Errors
    /// Returns `Unavailable` if the engine does not respond.
    pub async fn delete(&self) -> Result<bool> {
        Ok(self.client.delete_run(&self.id).await?.is_some())
    }

    fn require_run<T>(&self, found: Option<T>) -> Result<T> {
        Ok(found.ok_or_else(|| E::RunNotFound(self.id.to_string()))?)
    }

    async fn load_run(&self) -> Result<EngineRun> {
        self.require_run(self.client.load_run(&self.id).await?)
    }

    async fn send_answers(&self, answers: EngineAnswers) -> Result<()> {
        self.require_run(self.client.answer_run(&self.id, answers).await?)
    }

    /// Waits until the run is finished or interrupted.
    async fn wait_settled(&self) -> Result<EngineRun> {
        let (mut pause, mut silent_since) = (Duration::from_millis(20), None);
        loop {
            let settled = match self.status().await {
                Ok(RunStatus::Working) => Ok(None),
                Ok(_) => self.load_run().await.map(Some),
                Err(error) => Err(error),
            };
            match settled {
                // The run may have been answered between the two calls.
                Ok(Some(run)) if run.status() != RunStatus::Working => return Ok(run),
                Ok(_) => silent_since = None,
                Err(error) if error.kind() == ErrorKind::Unavailable => {
                    let since = *silent_since.get_or_insert_with(|| self.report_silence(&error));
                    if since.elapsed() > ENGINE_PATIENCE {
                        return Err(error);
                    }
                }
                Err(error) => return Err(error),
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(WATCH);
        }
    }

    fn report_silence(&self, error: &Error) -> Instant {
        let (run, error) = (&self.id, error.to_string());
        tracing::warn!(%run, %error, "the engine is not responding; retrying");
        Instant::now()
    }
}

impl<C: Clone, K> Clone for EngineHandle<C, K> {
    fn clone(&self) -> Self {
        Self { client: self.client.clone(), id: self.id.clone(), kind: PhantomData }
    }
}

impl<C: std::fmt::Debug, K> std::fmt::Debug for EngineHandle<C, K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EngineHandle").field("client", &self.client).field("id", &self.id).finish()
    }
}
