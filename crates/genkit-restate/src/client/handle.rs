//! Handles of runs: wait for them, answer their questions, cancel and delete them.

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

/// A durable run stored by Restate, created by [`RestateClient::durable_run`].
#[derive(Clone, Debug)]
pub struct RestateRun(RestateHandle);

/// A durable flow stored by Restate, created by [`RestateClient::durable_flow`].
#[derive(Clone, Debug)]
pub struct RestateFlow(RestateHandle);

impl RestateRun {
    /// Waits until the run finishes or is interrupted (see [`GenerateResponse::is_interrupted`]).
    ///
    /// # Errors
    /// Returns the error of the run if it failed, with the partial response
    /// ([`Error::partial`](genkit::Error::partial)), `Cancelled` if it was cancelled, and `Unavailable` if the server
    /// does not respond for a minute.
    pub async fn wait(&self) -> Result<GenerateResponse> {
        self.0.wait_settled().await?.response()
    }
}

impl RestateFlow {
    /// Waits until the flow finishes or is interrupted.
    ///
    /// # Errors
    /// Returns the error of the flow if it failed, `Cancelled` if it was cancelled, and `Unavailable` if the server
    /// does not respond for a minute.
    pub async fn wait(&self) -> Result<FlowOutcome> {
        self.0.wait_settled().await?.flow_outcome()
    }
}

/// Implements the methods that runs and flows have in common.
macro_rules! handle_methods {
    ($($handle:ident),*) => {$(
        impl $handle {
            pub(super) fn new(client: RestateClient, id: RunId) -> Self {
                Self(RestateHandle { client, id })
            }

            /// Returns the id of the run.
            pub fn id(&self) -> &RunId {
                &self.0.id
            }

            /// Returns the status of the run.
            ///
            /// # Errors
            /// `NotFound` if the run was deleted, `Unavailable` if the server does not respond.
            pub async fn status(&self) -> Result<RunStatus> {
                self.0.run_status().await
            }

            /// Returns the questions that have no answer yet. The list is empty if the run is not interrupted.
            ///
            /// # Errors
            /// The errors of [`status`](Self::status).
            pub async fn open(&self) -> Result<Vec<Interrupt>> {
                Ok(self.0.load_run().await?.open_questions())
            }

            /// Answers the question of `call`, which is the `ref` of the interrupted call or the key of a question. Any
            /// process can answer it. See [`DurableRun::answer`](genkit::durable::DurableRun::answer) for the values to
            /// pass.
            ///
            /// # Errors
            /// `FailedPrecondition` if no question is open, `InvalidArgument` if the answer does not match an
            /// open question, and the errors of [`status`](Self::status). On error the run is unchanged.
            pub async fn answer(&self, call: &str, answer: impl Serialize) -> Result<()> {
                self.0.send_answers(EngineAnswers::plain(call, answer)?).await
            }

            /// Calls `answer` for each open question, and answers those for which it returns an [`Answer`]. Use this to
            /// deny a call with a reason, to change its arguments, or to respond on behalf of the tool.
            ///
            /// # Errors
            /// The errors of [`answer`](Self::answer).
            pub async fn answer_with(
                &self,
                answer: impl FnMut(&Interrupt) -> Option<Answer>,
            ) -> Result<()> {
                let open = self.open().await?;
                self.0.send_answers(EngineAnswers::all(open.iter().filter_map(answer))?).await
            }

            /// Cancels the run, including its running steps on all workers. Returns `false` if the run was already
            /// finished.
            ///
            /// # Errors
            /// The errors of [`status`](Self::status).
            pub async fn cancel(&self) -> Result<bool> {
                self.0.call_handler::<Option<bool>>("cancel").await?.ok_or_else(|| self.0.missing_run())
            }

            /// Deletes the run and its data from Restate, and cancels its running steps. Its id can then be reused.
            /// Returns `false` if the run did not exist.
            ///
            /// # Errors
            /// `Unavailable` if the server does not respond.
            pub async fn delete(&self) -> Result<bool> {
                self.0.call_handler("delete").await
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
    /// Calls a handler without a request body.
    async fn call_handler<T: DeserializeOwned>(&self, handler: &str) -> Result<T> {
        self.client.call(&self.id, handler, None::<&()>).await
    }

    fn missing_run(&self) -> genkit::Error {
        E::RunNotFound(self.id.to_string()).into()
    }

    async fn run_status(&self) -> Result<RunStatus> {
        self.call_handler::<Option<RunStatus>>("status").await?.ok_or_else(|| self.missing_run())
    }

    async fn load_run(&self) -> Result<EngineRun> {
        let whole =
            self.call_handler::<Option<Whole>>("state").await?.ok_or_else(|| self.missing_run())?;
        EngineRun::load(&self.client.genkit, &self.id, whole.into_stored()).await
    }

    async fn send_answers(&self, answers: EngineAnswers) -> Result<()> {
        let is_there: bool = self.client.call(&self.id, "answer", Some(&answers)).await?;
        if is_there { Ok(()) } else { Err(self.missing_run()) }
    }

    /// Waits until the run is finished or interrupted.
    async fn wait_settled(&self) -> Result<EngineRun> {
        let (mut pause, mut silent_since) = (Duration::from_millis(20), None);
        loop {
            let settled = match self.run_status().await {
                Ok(RunStatus::Working) => Ok(None),
                Ok(_) => self.load_run().await.map(Some),
                Err(error) => Err(error),
            };
            match settled {
                // The questions may have been answered between the two calls.
                Ok(Some(run)) if run.status() != RunStatus::Working => return Ok(run),
                Ok(_) => silent_since = None,
                Err(error) if error.kind() == ErrorKind::Unavailable => {
                    let since = *silent_since.get_or_insert_with(|| {
                        let (run, error) = (&self.id, error.to_string());
                        tracing::warn!(%run, %error, "Restate is not responding; retrying");
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
