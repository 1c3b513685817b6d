//! Handles of runs: waiting for them, answering, ending them.

use std::time::Duration;

use genkit::durable::engine::{EngineAnswers, EngineRun};
use genkit::durable::{FlowOutcome, RunId, RunStatus};
use genkit::{Answer, ErrorKind, GenerateResponse, Interrupt, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::Instant;

use super::RestateClient;
use crate::error::Error as E;
use crate::limits::{PATIENCE, WATCH};
use crate::wire::Whole;

/// Restate run: a durable run of the loop that Restate keeps, made by
/// [`RestateClient::durable_run`].
#[derive(Clone, Debug)]
pub struct RestateRun(RestateHandle);

/// Restate flow: a durable flow that Restate keeps, made by [`RestateClient::durable_flow`].
#[derive(Clone, Debug)]
pub struct RestateFlow(RestateHandle);

impl RestateRun {
    /// Waits until the run has its answer or asks somebody: [`GenerateResponse::is_interrupted`].
    ///
    /// # Errors
    /// What the run failed with, which owns what was done ([`Error::partial`](genkit::Error::partial)); `Cancelled`;
    /// `Unavailable` where the server does not answer for a minute.
    pub async fn wait(&self) -> Result<GenerateResponse> {
        self.0.settled().await?.response()
    }
}

impl RestateFlow {
    /// Waits until the flow has returned or asks somebody.
    ///
    /// # Errors
    /// What the flow failed with; `Cancelled`; `Unavailable` where the server does not answer for a minute.
    pub async fn wait(&self) -> Result<FlowOutcome> {
        self.0.settled().await?.flow_outcome()
    }
}

/// What runs and flows have in common.
macro_rules! handle_methods {
    ($($handle:ident),*) => {$(
        impl $handle {
            pub(super) fn new(client: RestateClient, id: RunId) -> Self {
                Self(RestateHandle { client, id })
            }

            /// Id of the run.
            pub fn id(&self) -> &RunId {
                &self.0.id
            }

            /// Status of the run.
            ///
            /// # Errors
            /// `NotFound` where it was removed, `Unavailable` where the server does not answer.
            pub async fn status(&self) -> Result<RunStatus> {
                self.0.status().await
            }

            /// The questions that have no answer yet; none where nothing is asked.
            ///
            /// # Errors
            /// As [`status`](Self::status).
            pub async fn open(&self) -> Result<Vec<Interrupt>> {
                Ok(self.0.load().await?.open())
            }

            /// Answers the question of `call`: the `ref` of the call that asks, or the key of a question. From any process.
            /// What values mean: [`DurableRun::answer`](genkit::durable::DurableRun::answer).
            ///
            /// # Errors
            /// `FailedPrecondition` where nothing is asked, `InvalidArgument` where the answer fits no open question: the
            /// run is as it was then. As [`status`](Self::status).
            pub async fn answer(&self, call: &str, answer: impl Serialize) -> Result<()> {
                self.0.answer(EngineAnswers::plain(call, answer)?).await
            }

            /// Answers each open question that `answer` has one for: with reasons, other arguments, in a tool's place.
            ///
            /// # Errors
            /// As [`answer`](Self::answer).
            pub async fn answer_with(
                &self,
                answer: impl FnMut(&Interrupt) -> Option<Answer>,
            ) -> Result<()> {
                let open = self.open().await?;
                self.0.answer(EngineAnswers::all(open.iter().filter_map(answer))?).await
            }

            /// Cancels the run: what runs is told so, at whatever worker. `false` where it was over
            /// already.
            ///
            /// # Errors
            /// As [`status`](Self::status).
            pub async fn cancel(&self) -> Result<bool> {
                self.0.ask::<Option<bool>>("cancel").await?.ok_or_else(|| self.0.none())
            }

            /// Removes the run from Restate, with all that is kept of it; what runs is ended. `false` where it was
            /// not there. The id is free then.
            ///
            /// # Errors
            /// `Unavailable` where the server does not answer.
            pub async fn remove(&self) -> Result<bool> {
                self.0.ask("remove").await
            }
        }
    )*};
}

handle_methods!(RestateRun, RestateFlow);

#[derive(Clone, Debug)]
struct RestateHandle {
    client: RestateClient,
    id: RunId,
}

impl RestateHandle {
    /// Calls a handler that takes nothing.
    async fn ask<T: DeserializeOwned>(&self, handler: &str) -> Result<T> {
        self.client.call(&self.id, handler, None::<&()>).await
    }

    fn none(&self) -> genkit::Error {
        E::NoRun(self.id.to_string()).into()
    }

    async fn status(&self) -> Result<RunStatus> {
        self.ask::<Option<RunStatus>>("status").await?.ok_or_else(|| self.none())
    }

    async fn load(&self) -> Result<EngineRun> {
        let whole = self.ask::<Option<Whole>>("state").await?.ok_or_else(|| self.none())?;
        EngineRun::load(&self.client.genkit, &self.id, whole.into_stored()).await
    }

    async fn answer(&self, answers: EngineAnswers) -> Result<()> {
        let is_there: bool = self.client.call(&self.id, "answer", Some(&answers)).await?;
        if is_there { Ok(()) } else { Err(self.none()) }
    }

    /// Waits until nothing is to be done.
    async fn settled(&self) -> Result<EngineRun> {
        let (mut pause, mut silent_since) = (Duration::from_millis(20), None);
        loop {
            let settled = match self.status().await {
                Ok(RunStatus::Working) => Ok(None),
                Ok(_) => self.load().await.map(Some),
                Err(error) => Err(error),
            };
            match settled {
                // Somebody may have answered between the two.
                Ok(Some(run)) if run.status() != RunStatus::Working => return Ok(run),
                Ok(_) => silent_since = None,
                Err(error) if error.kind() == ErrorKind::Unavailable => {
                    let since = *silent_since.get_or_insert_with(|| {
                        let (run, error) = (&self.id, error.to_string());
                        tracing::warn!(%run, %error, "waiting for Restate to answer again");
                        Instant::now()
                    });
                    if since.elapsed() > PATIENCE {
                        return Err(error);
                    }
                }
                Err(error) => return Err(error),
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(WATCH);
        }
    }
}
