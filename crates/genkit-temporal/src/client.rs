//! A client of runs that Temporal stores.

use genkit::durable::engine::{EngineAnswers, EngineClient, EngineHandle, EngineRun, FlowKind};
use genkit::durable::{RunChange, RunId, RunStatus};
use genkit::{ErrorKind, Generate, Genkit, Result};
use serde::Serialize;
use temporalio_client::errors::{WorkflowGetResultError, WorkflowStartError};
use temporalio_client::tonic::{Code, IntoRequest as _};
use temporalio_client::{
    Client, ClientOptions, Connection, ConnectionOptions, Url, WorkflowCancelOptions,
    WorkflowDescribeOptions, WorkflowExecuteUpdateOptions, WorkflowExecutionStatus,
    WorkflowGetResultOptions, WorkflowHandle, WorkflowIdReusePolicy, WorkflowQueryOptions,
    WorkflowStartOptions,
};
use temporalio_common::error::IncomingError;
use temporalio_common::protos::temporal::api::common::v1::WorkflowExecution;
use temporalio_common::protos::temporal::api::enums::v1::IndexedValueType;
use temporalio_common::protos::temporal::api::operatorservice::v1::AddSearchAttributesRequest;
use temporalio_common::protos::temporal::api::workflowservice::v1::DeleteWorkflowExecutionRequest;
use tokio::time::timeout;

use crate::error::{Error as E, of_call, of_query, of_update};
use crate::limits::{CONNECT_TIMEOUT, REQUEST_TIMEOUT};
use crate::wire::{RunData, RunInput, pack, unpack};
use crate::workflow::{RUN, RUN_FAILED, RunWorkflow, STATUS};

/// A durable run stored by Temporal, created by [`TemporalClient::durable_run`].
pub type TemporalRun = EngineHandle<TemporalClient>;

/// A durable flow stored by Temporal, created by [`TemporalClient::durable_flow`].
pub type TemporalFlow = EngineHandle<TemporalClient, FlowKind>;

/// Connects to a Temporal server, with the namespace `default`. For another namespace, an API key, certificates or
/// encryption of everything that Temporal stores, create the client with [`temporalio_client`].
///
/// # Errors
/// Returns `InvalidArgument` if the URL is invalid, and `Unavailable` if the server does not respond.
///
/// ```no_run
/// # async fn example() -> genkit::Result<()> {
/// let temporal = genkit_temporal::connect("http://127.0.0.1:7233").await?;
/// # drop(temporal);
/// # Ok(())
/// # }
/// ```
pub async fn connect(url: &str) -> Result<Client> {
    let parsed = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let mut parsed = parsed.ok_or_else(|| {
        E::Url(url.split_once(':').map_or(url, |(scheme, _)| scheme).chars().take(40).collect())
    })?;
    let _ = parsed.set_password(None);
    let unreachable = |why: String| E::Unreachable { url: parsed.to_string(), why };
    let options = ConnectionOptions::new(parsed.clone()).connect_timeout(CONNECT_TIMEOUT).build();
    let connection = Connection::connect(options).await;
    let connection = connection.map_err(|why| unreachable(why.to_string()))?;
    let client = Client::new(connection, ClientOptions::new("default").build());
    Ok(client.map_err(|why| unreachable(why.to_string()))?)
}

/// A client of a Temporal server, which starts and finds durable runs and flows.
///
/// The client does not perform steps; a [`TemporalWorker`](crate::TemporalWorker) does. The registry of the client must
/// have models, tools and flows with the same names as the workers.
#[derive(Clone)]
pub struct TemporalClient {
    genkit: Genkit,
    client: Client,
    queue: String,
    is_indexed: bool,
}

impl TemporalClient {
    /// Creates a client of durable runs. The id of a run is the id of its workflow.
    pub fn new(genkit: &Genkit, client: &Client) -> Self {
        let queue = crate::TASK_QUEUE.to_owned();
        Self { genkit: genkit.clone(), client: client.clone(), queue, is_indexed: false }
    }

    /// Sets the task queue of the workers. Default is `genkit`.
    #[must_use]
    pub fn task_queue(self, name: impl Into<String>) -> Self {
        Self { queue: name.into(), ..self }
    }

    /// Writes the status of new runs into the search attribute `GenkitStatus`, so that Temporal can find runs by
    /// status: `GenkitStatus = 'input_required'` finds the runs that wait for answers. Create the attribute first, for
    /// example with [`create_search_attribute`](Self::create_search_attribute).
    #[must_use]
    pub fn with_search_attribute(self) -> Self {
        Self { is_indexed: true, ..self }
    }

    /// Creates the search attribute `GenkitStatus`, once for a namespace. `temporal operator search-attribute create
    /// --name GenkitStatus --type Keyword` does the same.
    ///
    /// # Errors
    /// Returns `PermissionDenied` if the client is not allowed to change the namespace, and `Unavailable` if the server
    /// does not respond.
    pub async fn create_search_attribute(&self) -> Result<()> {
        let request = AddSearchAttributesRequest {
            search_attributes: [(STATUS.to_owned(), IndexedValueType::Keyword.into())].into(),
            namespace: self.client.options().namespace.clone(),
        };
        let mut operator = self.client.connection().operator_service();
        match operator.add_search_attributes(request.into_request()).await {
            Err(status) if status.code() != Code::AlreadyExists => {
                Err(E::from_status(&status).into())
            }
            _ => Ok(()),
        }
    }

    /// Creates a durable run that Temporal stores. `id` is the idempotency key: if a run with this id exists, it is
    /// returned, and `run` is ignored. See also [`Genkit::durable_run`].
    ///
    /// # Errors
    /// Returns `InvalidArgument` for an invalid id or a run with code that has no name, `Unavailable` if the server
    /// does not respond, and `ResourceExhausted` if the request is too large for Temporal.
    pub async fn durable_run(&self, id: impl Into<String>, run: Generate) -> Result<TemporalRun> {
        let id = RunId::new(id)?;
        let first = EngineRun::first_of_run(&self.genkit, &id, run).await?;
        self.start_run(&id, first).await?;
        Ok(TemporalRun::new(self.clone(), id))
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
    ) -> Result<TemporalFlow> {
        let id = RunId::new(id)?;
        let first = EngineRun::first_of_flow(&self.genkit, &id, flow, input)?;
        self.start_run(&id, first).await?;
        Ok(TemporalFlow::new(self.clone(), id))
    }

    /// Returns the durable run with this id, created by any process. Returns `None` if no run has this id.
    ///
    /// # Errors
    /// Returns the errors of [`durable_run`](Self::durable_run).
    pub async fn find_durable_run(&self, id: impl Into<String>) -> Result<Option<TemporalRun>> {
        let id = RunId::new(id)?;
        Ok(self.run_status(&id).await?.map(|_| TemporalRun::new(self.clone(), id)))
    }

    /// Returns the durable flow with this id, created by any process. Returns `None` if no run has this id.
    ///
    /// # Errors
    /// Returns the errors of [`durable_run`](Self::durable_run).
    pub async fn find_durable_flow(&self, id: impl Into<String>) -> Result<Option<TemporalFlow>> {
        let id = RunId::new(id)?;
        Ok(self.run_status(&id).await?.map(|_| TemporalFlow::new(self.clone(), id)))
    }

    async fn start_run(&self, id: &RunId, first: RunChange) -> Result<()> {
        let data = RunData::from_change(first);
        let input = RunInput { data, is_indexed: self.is_indexed, due: None };
        let input = pack("the request of the run", &input)?;
        let options = WorkflowStartOptions::new(self.queue.clone(), id.to_string())
            .id_reuse_policy(WorkflowIdReusePolicy::RejectDuplicate)
            .build();
        match self.client.start_workflow(RunWorkflow::run, input, options).await {
            Ok(_) | Err(WorkflowStartError::AlreadyStarted { .. }) => Ok(()),
            Err(WorkflowStartError::Rpc(status)) => Err(E::from_status(&status).into()),
            Err(error) => Err(E::Unreadable(error.to_string()).into()),
        }
    }

    fn workflow(&self, id: &RunId) -> WorkflowHandle<Client, RunWorkflow> {
        self.client.get_workflow_handle(id.to_string())
    }

    /// Loads the data of a run whose workflow is closed.
    async fn load_closed(&self, id: &RunId) -> Result<Option<RunData>> {
        let ended = |why: String, kind| E::Ended { run: id.to_string(), why, kind };
        let data: Vec<u8> = match self
            .workflow(id)
            .get_result(WorkflowGetResultOptions::default())
            .await
        {
            Ok(data) => data,
            Err(WorkflowGetResultError::NotFound(_)) => return Ok(None),
            Err(WorkflowGetResultError::Rpc(status)) => return Err(E::from_status(&status).into()),
            Err(WorkflowGetResultError::Cancelled { details }) => {
                details.deserialize().map_err(|why| E::Unreadable(why.to_string()))?
            }
            Err(WorkflowGetResultError::Failed(failure)) => match &*failure {
                IncomingError::Application(why) if why.type_name() == Some(RUN_FAILED) => {
                    let details = why.details().map_err(|why| E::Unreadable(why.to_string()))?;
                    details.unwrap_or_default()
                }
                why => {
                    let message = why.failure().message.clone();
                    return Err(ended(message, ErrorKind::ResourceExhausted).into());
                }
            },
            Err(WorkflowGetResultError::Terminated { .. }) => {
                return Err(
                    ended("its workflow was terminated".to_owned(), ErrorKind::Cancelled).into()
                );
            }
            Err(why) => return Err(ended(why.to_string(), ErrorKind::Internal).into()),
        };
        unpack(&data)
    }
}

impl EngineClient for TemporalClient {
    async fn run_status(&self, run: &RunId) -> Result<Option<RunStatus>> {
        let described = match self.workflow(run).describe(WorkflowDescribeOptions::default()).await
        {
            Ok(described) => described,
            Err(error) => return of_call(error).map_or(Ok(None), |error| Err(error.into())),
        };
        if described.workflow_type() != RUN {
            let (id, found) = (run.to_string(), described.workflow_type().to_owned());
            return Err(E::OtherWorkflow { id, found }.into());
        }
        Ok(Some(match described.status() {
            WorkflowExecutionStatus::Completed => RunStatus::Completed,
            WorkflowExecutionStatus::Canceled | WorkflowExecutionStatus::Terminated => {
                RunStatus::Cancelled
            }
            WorkflowExecutionStatus::Failed | WorkflowExecutionStatus::TimedOut => {
                RunStatus::Failed
            }
            _ => described.memo().get(STATUS).ok().flatten().unwrap_or(RunStatus::Working),
        }))
    }

    async fn load_run(&self, run: &RunId) -> Result<Option<EngineRun>> {
        let Some(status) = self.run_status(run).await? else { return Ok(None) };
        let data = if status.is_over() {
            self.load_closed(run).await?
        } else {
            let workflow = self.workflow(run);
            let asked = workflow.query(RunWorkflow::state, (), WorkflowQueryOptions::default());
            match self.await_worker(asked).await? {
                Ok(data) => unpack::<Option<RunData>>(&data)?,
                Err(error) => return of_query(error).map_or(Ok(None), |error| Err(error.into())),
            }
        };
        let Some(stored) = data.map(RunData::into_stored) else { return Ok(None) };
        EngineRun::load(&self.genkit, run, stored).await.map(Some)
    }

    async fn answer_run(&self, run: &RunId, answers: EngineAnswers) -> Result<Option<()>> {
        let workflow = self.workflow(run);
        let options = WorkflowExecuteUpdateOptions::default();
        let sent = workflow.execute_update(RunWorkflow::answer, answers.clone(), options);
        match self.await_worker(sent).await? {
            Ok(None) => Ok(Some(())),
            Ok(Some(refusal)) => Err(refusal.into_error()),
            Err(error) => match (of_update(error), self.load_run(run).await?) {
                (Some(error), _) => Err(error.into()),
                (None, None) => Ok(None),
                // The workflow is closed, so the stored run creates the error.
                (None, Some(mut closed)) => closed.answer(answers).await.map(Some),
            },
        }
    }

    async fn cancel_run(&self, run: &RunId) -> Result<Option<bool>> {
        let Some(status) = self.run_status(run).await? else { return Ok(None) };
        if status.is_over() {
            return Ok(Some(false));
        }
        match self.workflow(run).cancel(WorkflowCancelOptions::default()).await {
            Ok(()) => Ok(Some(true)),
            Err(error) => of_call(error).map_or(Ok(Some(false)), |error| Err(error.into())),
        }
    }

    async fn delete_run(&self, run: &RunId) -> Result<Option<()>> {
        if self.run_status(run).await?.is_none() {
            return Ok(None);
        }
        let workflow_id = run.to_string();
        let request = DeleteWorkflowExecutionRequest {
            namespace: self.client.options().namespace.clone(),
            workflow_execution: Some(WorkflowExecution { workflow_id, run_id: String::new() }),
        };
        let mut service = self.client.connection().workflow_service();
        match service.delete_workflow_execution(request.into_request()).await {
            Err(status) if status.code() == Code::NotFound => Ok(None),
            Err(status) => Err(E::from_status(&status).into()),
            Ok(_) => Ok(Some(())),
        }
    }
}

impl TemporalClient {
    /// Waits for a response from a worker.
    async fn await_worker<T>(&self, response: impl Future<Output = T>) -> Result<T> {
        let responded = timeout(REQUEST_TIMEOUT, response).await;
        Ok(responded.map_err(|_| E::NoWorker { queue: self.queue.clone() })?)
    }
}

impl std::fmt::Debug for TemporalClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let namespace = &self.client.options().namespace;
        f.debug_tuple("TemporalClient").field(namespace).field(&self.queue).finish()
    }
}
