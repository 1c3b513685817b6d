//! A client of runs that Restate stores.

use genkit::durable::engine::{EngineAnswers, EngineClient, EngineHandle, EngineRun, FlowKind};
use genkit::durable::{RunId, RunStatus};
use genkit::{Generate, Genkit, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Error as E;
use crate::http::Server;
use crate::wire::{FirstState, RUN, RunData, kind_from_status};

/// A durable run stored by Restate, created by [`RestateClient::durable_run`].
pub type RestateRun = EngineHandle<RestateClient>;

/// A durable flow stored by Restate, created by [`RestateClient::durable_flow`].
pub type RestateFlow = EngineHandle<RestateClient, FlowKind>;

/// A client of Restate's ingress (port 8080), which starts and finds durable runs and flows.
///
/// The client does not perform steps; a [`RestateWorker`](crate::RestateWorker) does. The registry of the client must
/// have models, tools and flows with the same names as the workers.
#[derive(Clone)]
pub struct RestateClient {
    genkit: Genkit,
    server: Server,
}

impl RestateClient {
    /// Creates a client of the Restate server with this ingress URL.
    ///
    /// # Errors
    /// Returns `InvalidArgument` if the URL is invalid.
    pub fn new(genkit: &Genkit, url: &str) -> Result<Self> {
        Ok(Self { genkit: genkit.clone(), server: Server::new(url)? })
    }

    /// Sets the bearer token, which Restate Cloud requires.
    #[must_use]
    pub fn token(self, token: impl Into<String>) -> Self {
        Self { server: self.server.with_token(token.into()), ..self }
    }

    /// Creates a durable run that Restate stores. `id` is an idempotency key: if a run with this id exists, it is
    /// returned, and `run` is ignored. See also [`Genkit::durable_run`].
    ///
    /// # Errors
    /// Returns `InvalidArgument` for an invalid id or a run with code that has no name, `Unavailable` if the server
    /// does not respond, and `FailedPrecondition` if no worker is registered.
    pub async fn durable_run(&self, id: impl Into<String>, run: Generate) -> Result<RestateRun> {
        let id = RunId::new(id)?;
        let first = FirstState::from_change(EngineRun::first_of_run(&self.genkit, &id, run).await?);
        self.call::<bool>(&id, "start", Some(&first)).await?;
        Ok(RestateRun::new(self.clone(), id))
    }

    /// Creates a durable run of a flow in the registry. Otherwise the same as [`durable_run`](Self::durable_run).
    ///
    /// # Errors
    /// Returns the errors of [`durable_run`](Self::durable_run), and `NotFound` if the flow does not exist.
    pub async fn durable_flow(
        &self,
        id: impl Into<String>,
        flow: &str,
        input: impl Serialize,
    ) -> Result<RestateFlow> {
        let id = RunId::new(id)?;
        let first =
            FirstState::from_change(EngineRun::first_of_flow(&self.genkit, &id, flow, input)?);
        self.call::<bool>(&id, "start", Some(&first)).await?;
        Ok(RestateFlow::new(self.clone(), id))
    }

    /// Returns the durable run with this id, created by any process. Returns `None` if no run has this id.
    ///
    /// # Errors
    /// Returns the errors of [`durable_run`](Self::durable_run).
    pub async fn find_durable_run(&self, id: impl Into<String>) -> Result<Option<RestateRun>> {
        Ok(self.find_run(id).await?.map(|id| RestateRun::new(self.clone(), id)))
    }

    /// Returns the durable flow with this id, created by any process. Returns `None` if no run has this id.
    ///
    /// # Errors
    /// Returns the errors of [`durable_run`](Self::durable_run).
    pub async fn find_durable_flow(&self, id: impl Into<String>) -> Result<Option<RestateFlow>> {
        Ok(self.find_run(id).await?.map(|id| RestateFlow::new(self.clone(), id)))
    }

    async fn find_run(&self, id: impl Into<String>) -> Result<Option<RunId>> {
        let id = RunId::new(id)?;
        Ok(self.run_status(&id).await?.map(|_| id))
    }

    /// Calls a handler of a run.
    async fn call<T: DeserializeOwned>(
        &self,
        id: &RunId,
        handler: &str,
        body: Option<&impl Serialize>,
    ) -> Result<T> {
        let (status, answer) =
            self.server.post_json(&format!("{RUN}/{id}/{handler}"), body).await?;
        if (200..300).contains(&status) {
            return self.server.parse_body(&answer);
        }
        let (url, message) = (self.server.shown_url(), self.server.parse_message(&answer));
        Err(match kind_from_status(status) {
            Some(kind) => E::Said(message, kind),
            None if status == 404 => E::NotRegistered { url },
            None => E::Refused { url, status, message },
        }
        .into())
    }
}

impl EngineClient for RestateClient {
    async fn run_status(&self, run: &RunId) -> Result<Option<RunStatus>> {
        self.call(run, "status", None::<&()>).await
    }

    async fn load_run(&self, run: &RunId) -> Result<Option<EngineRun>> {
        let whole: Option<RunData> = self.call(run, "state", None::<&()>).await?;
        let Some(stored) = whole.map(RunData::into_stored) else { return Ok(None) };
        EngineRun::load(&self.genkit, run, stored).await.map(Some)
    }

    async fn answer_run(&self, run: &RunId, answers: EngineAnswers) -> Result<Option<()>> {
        let is_there: bool = self.call(run, "answer", Some(&answers)).await?;
        Ok(is_there.then_some(()))
    }

    async fn cancel_run(&self, run: &RunId) -> Result<Option<bool>> {
        self.call(run, "cancel", None::<&()>).await
    }

    async fn delete_run(&self, run: &RunId) -> Result<Option<()>> {
        let was_there: bool = self.call(run, "delete", None::<&()>).await?;
        Ok(was_there.then_some(()))
    }
}

impl std::fmt::Debug for RestateClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("RestateClient").field(&self.server.shown_url()).finish()
    }
}
