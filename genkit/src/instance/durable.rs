//! Durable runs and flows of an instance.

use genkit_core::Result;
use serde::Serialize;

use super::{Genkit, GenkitBuilder};
use crate::durable::{DurableFlow, DurableOptions, DurableRun, RunStore, Runs, Worker};
use crate::generate::Generate;

impl Genkit {
    /// Creates a durable run, which is saved after each step and continues in any process with the same registry. See
    /// [`genkit::durable`](crate::durable), which also explains "at least once".
    ///
    /// `id` is the idempotency key: if a run with this id exists, it is returned, and `run` is ignored. No step is
    /// performed yet; [`DurableRun::wait`] and [`Genkit::work`] perform the steps.
    ///
    /// # Errors
    /// Returns `FailedPrecondition` without [`GenkitBuilder::durable`](crate::GenkitBuilder::durable), `InvalidArgument`
    /// for an invalid id or for code without a name, any error that a run can return before its first response, and any
    /// error from the store.
    pub async fn durable_run(&self, id: impl Into<String>, run: Generate) -> Result<DurableRun> {
        genkit_durable::internal::runs::durable_run(&self.0, id, run, DurableOptions::new()).await
    }

    /// Creates a durable run of a flow in the registry. The flow can ask questions. After a crash, it runs again from
    /// the start, with the saved results of [`Context::once`](crate::Context::once). The id works as in
    /// [`durable_run`](Self::durable_run).
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
    /// let FlowOutcome::Interrupted(open) = run.wait().await? else { panic!() };
    /// run.answer(open[0].key(), json!(true)).await?;
    /// let FlowOutcome::Returned(receipt) = run.wait().await? else { panic!() };
    /// assert_eq!(receipt, "500 sale-1/0/0/charge");
    /// # std::fs::remove_dir_all(folder).ok();
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`durable_run`](Self::durable_run), and `NotFound` if the flow does not exist.
    pub async fn durable_flow(
        &self,
        id: impl Into<String>,
        flow: &str,
        input: impl Serialize,
    ) -> Result<DurableFlow> {
        genkit_durable::internal::runs::durable_flow(
            &self.0,
            id,
            flow,
            input,
            DurableOptions::new(),
        )
        .await
    }

    /// Creates a durable run like [`durable_run`](Self::durable_run), with tags or a start time.
    ///
    /// # Errors
    /// Returns the errors of [`durable_run`](Self::durable_run), and `InvalidArgument` for an invalid tag.
    pub async fn durable_run_with(
        &self,
        id: impl Into<String>,
        run: Generate,
        options: DurableOptions,
    ) -> Result<DurableRun> {
        genkit_durable::internal::runs::durable_run(&self.0, id, run, options).await
    }

    /// Creates a durable flow like [`durable_flow`](Self::durable_flow), with tags or a start time.
    ///
    /// # Errors
    /// Returns the errors of [`durable_flow`](Self::durable_flow), and `InvalidArgument` for an invalid tag.
    pub async fn durable_flow_with(
        &self,
        id: impl Into<String>,
        flow: &str,
        input: impl Serialize,
        options: DurableOptions,
    ) -> Result<DurableFlow> {
        genkit_durable::internal::runs::durable_flow(&self.0, id, flow, input, options).await
    }

    /// Returns the durable run with this id, created by any process. Returns `None` if the store does not contain it.
    ///
    /// # Errors
    /// Returns `FailedPrecondition` without a store, `InvalidArgument` for an invalid id, and any error from the store.
    pub async fn find_durable_run(&self, id: impl Into<String>) -> Result<Option<DurableRun>> {
        genkit_durable::internal::runs::find_durable_run(&self.0, id).await
    }

    /// Returns the durable flow with this id, created by any process. Returns `None` if the store does not contain it.
    ///
    /// # Errors
    /// Returns the errors of [`find_durable_run`](Self::find_durable_run).
    pub async fn find_durable_flow(&self, id: impl Into<String>) -> Result<Option<DurableFlow>> {
        genkit_durable::internal::runs::find_durable_flow(&self.0, id).await
    }

    /// Returns an interface for operators, which lists, inspects, cancels, retries and deletes the durable runs of the
    /// store. See [`Runs`].
    pub fn runs(&self) -> Runs {
        Runs::for_instance(&self.0)
    }

    /// Creates a worker for durable runs and flows. See [`Worker`].
    pub fn work(&self) -> Worker {
        Worker::for_instance(&self.0)
    }
}

impl GenkitBuilder {
    /// Sets the store of durable runs, for [`Genkit::durable_run`], [`Genkit::durable_flow`] and [`Genkit::work`]. See
    /// [`genkit::durable`](crate::durable).
    pub fn durable(self, store: impl RunStore) -> Self {
        Self(self.0.durable(store))
    }

    /// Sets the duration of the lease under which a worker performs a durable run. Default is 30 seconds; the minimum is
    /// 100 milliseconds.
    ///
    /// If a process dies, another process continues its runs after this time. A process that cannot renew its leases,
    /// for example because the store is unreachable, suspends the runs shortly before their leases end. Each lease in
    /// use is renewed three times per lease duration, so a short lease causes more writes. All processes that share a
    /// store should use the same value.
    pub fn durable_lease(self, lease: std::time::Duration) -> Self {
        Self(self.0.durable_lease(lease))
    }

    /// Sets the build of this program, such as `env!("CARGO_PKG_VERSION")`. A durable run records the build that
    /// created it, [`Runs::inspect`] shows it, and a worker can leave runs of other builds to other workers
    /// ([`Worker::accept_builds`]).
    pub fn durable_build(self, build: impl Into<String>) -> Self {
        Self(self.0.durable_build(build))
    }
}
