//! Handles to durable runs, for waiting, answering questions, cancelling and deleting.

mod changes;
mod stream;
mod waiting;

use std::sync::{Arc, OnceLock};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::Error as E;
use super::outcome::{FlowOutcome, into_flow_outcome, into_response, wrong_kind_error};
use super::record::{Record, RunBody};
use genkit_agent::Instance;
use genkit_core::Result;
use genkit_core::{Answer, GenerateResponse, Interrupt};
use genkit_core::{Registry, RunHead, RunId, RunStatus, RunStore, StoredRun};

pub use stream::{RunEvent, RunStream};

/// A durable run, created by `Genkit::durable_run`.
#[derive(Clone, Debug)]
pub struct DurableRun(pub(crate) Handle);

/// A durable flow, created by `Genkit::durable_flow`.
#[derive(Clone, Debug)]
pub struct DurableFlow(pub(crate) Handle);

impl DurableRun {
    /// Waits until the run finishes or is interrupted. If no worker holds the lease of the run, this process performs
    /// the remaining steps, including the steps of child runs that the run waits for. The limits of a
    /// [`Worker`](crate::Worker) do not apply.
    ///
    /// Dropping the future stops the steps that it performs. The run then continues from its saved state in any process
    /// that calls `wait` or runs a worker. The response contains the questions of an interrupted run: see
    /// [`GenerateResponse::is_interrupted`].
    ///
    /// # Errors
    /// Returns the error of the run if it failed, with the partial response
    /// ([`Error::partial`](genkit_core::Error::partial)), `Cancelled` if it was cancelled, an error if this process
    /// lacks a dependency of the run, such as a tool, and any error from the store.
    pub async fn wait(&self) -> Result<GenerateResponse> {
        let handle = &self.0;
        let (stored, record) = handle.wait_until_settled().await?;
        let RunBody::Generate(state) = record.body else {
            return Err(wrong_kind_error(&handle.id, &record.body, "a run of `durable_run`"));
        };
        let (status, registry) = (stored.at.status, &handle.genkit.registry);
        into_response(&handle.id, registry, status, record.error, *state)
    }
}

impl DurableFlow {
    /// Waits until the flow finishes or is interrupted. If no worker holds the lease of the flow, this process performs
    /// the remaining steps.
    ///
    /// # Errors
    /// Returns the error of the flow if it failed, `Cancelled` if it was cancelled, an error if this process lacks a
    /// dependency of the flow, and any error from the store.
    pub async fn wait(&self) -> Result<FlowOutcome> {
        let handle = &self.0;
        let (stored, record) = handle.wait_until_settled().await?;
        let RunBody::Flow(state) = record.body else {
            return Err(wrong_kind_error(&handle.id, &record.body, "a run of `durable_flow`"));
        };
        into_flow_outcome(&handle.id, stored.at.status, record.error, *state)
    }
}

/// Implements the methods that runs and flows have in common.
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
            /// Returns `NotFound` if the run was deleted, or an error if the store cannot be read.
            pub async fn status(&self) -> Result<RunStatus> {
                Ok(self.0.peek_head().await?.status)
            }

            /// Returns the questions that have no answer yet. The list is empty if the run is not interrupted.
            ///
            /// # Errors
            /// Returns the errors of [`status`](Self::status).
            pub async fn open_questions(&self) -> Result<Vec<Interrupt>> {
                Ok(self.0.load_run().await?.1.body.open_questions())
            }

            #[doc(hidden)]
            #[deprecated(note = "renamed to `open_questions`")]
            pub async fn open(&self) -> Result<Vec<Interrupt>> {
                self.open_questions().await
            }

            /// Answers the question of `call`, which is the id of the interrupted call or the key of a question. Any
            /// process with the same registry can answer it.
            ///
            /// For an approval, pass true or false; for a form, pass its fields, or null to decline; for
            /// [`Context::interrupt`](genkit_core::Context::interrupt), pass the value that it returns. For an
            /// at-most-once call with an unknown outcome (`#[tool(at_most_once)]`), true runs it again, and false
            /// declines it, with an error for the model that the call may have taken effect. The run continues once all open
            /// questions are answered.
            ///
            /// # Errors
            /// Returns `FailedPrecondition` if no question is open, `InvalidArgument` if the answer does not match an
            /// open question, and any error from the store. On error the run is unchanged.
            pub async fn answer(&self, call: &str, answer: impl Serialize) -> Result<()> {
                self.0.answer_call(call, answer).await
            }

            /// Sends a signal to the run. The run receives it with
            /// [`wait_for_signal`](crate::DurableContext::wait_for_signal), even if it starts to
            /// wait later. The signal is saved before this method returns, and wakes a run that
            /// waits for it.
            ///
            /// After an error from the store, the signal may or may not have been sent.
            ///
            /// # Errors
            /// Returns `NotFound` if the run was deleted, `FailedPrecondition` if it is finished, `ResourceExhausted`
            /// if it has too many unread signals (1,000 signals or 1 MiB), `InvalidArgument` if `value` cannot be
            /// serialized, and any error from the store.
            pub async fn signal(&self, name: &str, value: impl Serialize) -> Result<()> {
                self.0.send_signal(name, value).await
            }

            /// Returns the value that the run last published with
            /// [`publish_status`](crate::DurableContext::publish_status). It stays available after the run is finished.
            /// Returns `None` if the run has not published a value.
            ///
            /// # Errors
            /// Returns `NotFound` if the run was deleted, `InvalidArgument` if the value is not a `T`, and any error
            /// from the store.
            pub async fn published_status<T: DeserializeOwned>(&self) -> Result<Option<T>> {
                self.0.read_published().await
            }

            /// Calls `answer` for each open question, and answers those for which it returns an [`Answer`]. Use this to
            /// deny a call with a reason, to change its arguments, or to respond on behalf of the tool.
            ///
            /// # Errors
            /// Returns the errors of [`answer`](Self::answer).
            pub async fn answer_with(
                &self,
                answer: impl FnMut(&Interrupt) -> Option<Answer>,
            ) -> Result<()> {
                self.0.answer_with(answer).await
            }

            /// Cancels the run. Running steps are stopped within a few seconds, and their results are not saved.
            /// Returns `false` if the run was already finished.
            ///
            /// # Errors
            /// Returns the errors of [`status`](Self::status).
            pub async fn cancel(&self) -> Result<bool> {
                self.0.cancel_run().await
            }

            /// Continues a failed or cancelled run from the step where it ended. Saved results are kept, and the number
            /// of attempts of the step is reset. Returns `false` if the run has not failed and was not cancelled.
            ///
            /// # Errors
            /// Returns the errors of [`status`](Self::status), and `FailedPrecondition` if the run cannot be continued,
            /// for example because an older version of the program stored the failure.
            pub async fn retry(&self) -> Result<bool> {
                self.0.retry_run().await
            }

            /// Deletes the run and its data from the store. Its id can then be reused. Returns `false` if the run
            /// did not exist.
            ///
            /// # Errors
            /// Returns any error from the store.
            pub async fn delete(&self) -> Result<bool> {
                self.0.store.delete(&self.0.id).await
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
    /// The incarnation of the run when this handle first read it, shared by all clones.
    incarnation: Arc<OnceLock<u64>>,
}

impl Handle {
    pub(crate) fn new(genkit: &Instance, store: Arc<dyn RunStore>, id: RunId) -> Self {
        Self { genkit: genkit.clone(), store, id, incarnation: Arc::default() }
    }

    /// Returns the handle for the incarnation of the run in `head`.
    pub(crate) fn with_incarnation(self, head: &RunHead) -> Self {
        let _ = self.incarnation.set(head.incarnation);
        self
    }

    /// Returns an error if the run was deleted and another run was created with its id.
    fn check_incarnation(&self, head: &RunHead) -> Result<()> {
        match *self.incarnation.get_or_init(|| head.incarnation) == head.incarnation {
            true => Ok(()),
            false => Err(E::Replaced(self.id.to_string()).into()),
        }
    }

    pub(crate) async fn peek_head(&self) -> Result<RunHead> {
        let head = self.store.peek(&self.id).await?;
        let head = head.ok_or_else(|| E::RunNotFound(self.id.to_string()))?;
        self.check_incarnation(&head)?;
        Ok(head)
    }

    pub(crate) async fn load_run(&self) -> Result<(StoredRun, Record)> {
        let stored = self.store.load(&self.id).await?;
        let stored = stored.ok_or_else(|| E::RunNotFound(self.id.to_string()))?;
        self.check_incarnation(&stored.at)?;
        let record = Record::read(&self.id, &stored)?;
        Ok((stored, record))
    }

    pub(crate) fn id(&self) -> &RunId {
        &self.id
    }

    pub(crate) fn registry(&self) -> &Registry {
        &self.genkit.registry
    }
}

impl std::fmt::Debug for Handle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Handle").field("id", &self.id).finish_non_exhaustive()
    }
}
