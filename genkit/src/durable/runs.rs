//! Durable runs of an instance: making them, finding them again.

use std::sync::Arc;

use serde::Serialize;

use super::error::Error as E;
use super::flow_state::FlowState;
use super::handle::{DurableFlow, DurableRun, Handle};
use super::record::{Record, RunBody};
use super::store::{RunChange, RunId, RunStatus, RunStore};
use crate::error::Result;
use crate::generate::Generate;
use crate::instance::Genkit;

impl Genkit {
    /// Durable run: a run of the loop that is saved after each step, and goes on in any process that has the same
    /// registry. See [`genkit::durable`](crate::durable), also for what "at least once" means.
    ///
    /// `id` is the idempotency key: where there is a run of that id already, it is that one, whatever is asked here.
    /// Nothing is performed yet: [`DurableRun::wait`] and [`Genkit::work`] do.
    ///
    /// # Errors
    /// `FailedPrecondition` without [`GenkitBuilder::durable`](crate::GenkitBuilder::durable), `InvalidArgument` for an id that is none or a run with
    /// code that has no name, what a run may fail with before its first answer, and what the store fails with.
    pub async fn durable_run(&self, id: impl Into<String>, run: Generate) -> Result<DurableRun> {
        let (id, store) = (RunId::new(id)?, self.run_store()?);
        if store.peek(&id).await?.is_none() {
            let first = self.first_of_run(&id, run).await?;
            // Where another was faster, its run is the run.
            store.create(&id, &first).await?;
        }
        Ok(DurableRun(Handle::new(self, store, id)))
    }

    /// Durable flow: a flow of the registry that goes on after a crash, from its beginning, without what it did by
    /// [`Context::once`](crate::Context::once); and that may ask. Else as [`durable_run`](Self::durable_run).
    ///
    /// ```
    /// use genkit::durable::{FlowOutcome, FolderStore};
    /// use genkit::{Context, Genkit, Registry, Result, flow, flows};
    /// use serde_json::json;
    ///
    /// async fn charge(cents: u32, key: Option<String>) -> Result<String> { Ok(format!("{cents} {}", key.unwrap())) }
    ///
    /// /// Sells something.
    /// #[flow]
    /// async fn sell(ctx: &Context, cents: u32) -> Result<String> {
    ///     let receipt = ctx.once("charge", charge(cents, ctx.idempotency_key("charge"))).await?;
    ///     ctx.confirm("Send it?").await?;
    ///     Ok(receipt)
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let folder = std::env::temp_dir().join(format!("genkit-flows-{}", std::process::id()));
    /// let registry = Registry::new().add(flows![sell]);
    /// let genkit = Genkit::builder().registry(registry).durable(FolderStore::open(&folder)?).build()?;
    /// let run = genkit.durable_flow("sale-1", "sell", json!({"cents": 500})).await?;
    /// let FlowOutcome::Asks(open) = run.wait().await? else { panic!() };
    /// run.answer(open[0].key(), json!(true)).await?;
    /// let FlowOutcome::Returned(receipt) = run.wait().await? else { panic!() };
    /// assert_eq!(receipt, "500 sale-1/0/0/charge");
    /// # std::fs::remove_dir_all(folder).ok();
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`durable_run`](Self::durable_run); `NotFound` where there is no such flow.
    pub async fn durable_flow(
        &self,
        id: impl Into<String>,
        flow: &str,
        input: impl Serialize,
    ) -> Result<DurableFlow> {
        let (id, store) = (RunId::new(id)?, self.run_store()?);
        if store.peek(&id).await?.is_none() {
            store.create(&id, &self.first_of_flow(&id, flow, input)?).await?;
        }
        Ok(DurableFlow(Handle::new(self, store, id)))
    }

    /// The durable run of this id, made by whatever process; `None` where there is none.
    ///
    /// # Errors
    /// As [`durable_run`](Self::durable_run).
    pub async fn find_durable_run(&self, id: impl Into<String>) -> Result<Option<DurableRun>> {
        Ok(self.find_durable(id).await?.map(DurableRun))
    }

    /// The durable flow of this id, made by whatever process; `None` where there is none.
    ///
    /// # Errors
    /// As [`durable_flow`](Self::durable_flow).
    pub async fn find_durable_flow(&self, id: impl Into<String>) -> Result<Option<DurableFlow>> {
        Ok(self.find_durable(id).await?.map(DurableFlow))
    }

    async fn find_durable(&self, id: impl Into<String>) -> Result<Option<Handle>> {
        let (id, store) = (RunId::new(id)?, self.run_store()?);
        Ok(store.peek(&id).await?.map(|_| Handle::new(self, store, id)))
    }

    pub(super) fn run_store(&self) -> Result<Arc<dyn RunStore>> {
        Ok(self.runs.store.clone().ok_or(E::NoStore)?)
    }

    /// What is kept first of a run of the loop.
    pub(super) async fn first_of_run(&self, id: &RunId, run: Generate) -> Result<RunChange> {
        let state = run.of_instance(self).start().await?.state();
        if !state.names.code.is_empty() {
            return Err(E::NotByName(state.names.code).into());
        }
        first_of(id, RunBody::Generate(Box::new(state)))
    }

    /// What is kept first of a flow.
    pub(super) fn first_of_flow(
        &self,
        id: &RunId,
        flow: &str,
        input: impl Serialize,
    ) -> Result<RunChange> {
        let known = self.registry.flow(flow).ok_or_else(|| E::NoFlow(flow.to_owned()))?;
        let input = serde_json::to_value(input)
            .map_err(|why| E::Unserializable { id: id.to_string(), why: why.to_string() })?;
        first_of(id, RunBody::Flow(Box::new(FlowState::new(known.name(), input))))
    }
}

fn first_of(id: &RunId, body: RunBody) -> Result<RunChange> {
    let (head, log) = Record::new(body).into_lines(id)?;
    Ok(RunChange::new(RunStatus::Working, head).with_log(log))
}
