//! Methods for the functions of a durable run: receive signals, publish a status and start child runs.

pub(crate) mod children;
pub(crate) mod mail;
mod signals;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Error as E;
use crate::journal::CallJournal;
use crate::limits::{LONGEST_SAVE_WAIT, SAVE_WAIT};
use crate::record::to_json;
use crate::session::within_limit;
pub use children::{ChildFlow, ChildRun};
use genkit_agent::Generate;
use genkit_core::internal::visible::Logged;
use genkit_core::{Context, ErrorKind, Result};

/// Methods of [`Context`] for functions of durable runs: tools, flows and everything they call. Do not implement
/// this trait yourself.
///
/// ```
/// use genkit::durable::{DurableContext as _, FlowOutcome, FolderStore};
/// use genkit::{Context, Genkit, Registry, Result, flow, flows};
/// use serde_json::json;
///
/// /// Ships an order once it is paid.
/// #[flow]
/// async fn ship(ctx: &Context, order: u32) -> Result<String> {
///     ctx.publish_status("waiting for the payment").await?;
///     let cents: u32 = ctx.wait_for_signal("paid").await?; // for days, if needed
///     Ok(format!("order {order}: {cents} cents"))
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// # let folder = std::env::temp_dir().join(format!("genkit-signals-{}", std::process::id()));
/// let registry = Registry::new().add(flows![ship]);
/// let genkit = Genkit::builder().registry(registry).durable(FolderStore::open(&folder)?).build()?;
/// let run = genkit.durable_flow("order-7", "ship", json!({"order": 7})).await?;
/// run.signal("paid", 500).await?; // from any process, even before the flow waits for it
/// assert_eq!(run.wait().await?, FlowOutcome::Returned(json!("order 7: 500 cents")));
/// assert_eq!(run.published_status::<String>().await?.as_deref(), Some("waiting for the payment"));
/// # std::fs::remove_dir_all(folder).ok();
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The methods return `FailedPrecondition` outside a durable run and in a run of an engine (Restate, Temporal), and any
/// error from the store. If the store is unavailable, they wait for it until this process loses the run.
pub trait DurableContext {
    /// Waits for the next signal with this name, sent by `signal(..)` of the run's handle. Each signal is received
    /// once, even after a crash. Signals are received in the order in which they were sent. A signal may be sent before
    /// the run waits for it.
    ///
    /// A run that only waits for signals is suspended in the store: it holds no lease and occupies no worker. Tools
    /// with `#[tool(at_most_once)]`, and functions called by another function of the run, are not suspended: they
    /// occupy their worker while they wait.
    ///
    /// # Errors
    /// See [`DurableContext`]. Returns `InvalidArgument` if the value of the signal is not a `T`.
    fn wait_for_signal<T: DeserializeOwned>(
        &self,
        name: &str,
    ) -> impl Future<Output = Result<T>> + Send;

    /// Publishes a value, which any process reads with `published_status` of the run's handle. It replaces the
    /// previously published value, and is saved before this method returns.
    ///
    /// # Errors
    /// See [`DurableContext`]. Returns `InvalidArgument` if the value cannot be serialized.
    fn publish_status(
        &self,
        value: impl Serialize + Send,
    ) -> impl Future<Output = Result<()>> + Send;

    /// Starts a flow of the registry as a child run: a durable run with its own steps, retries and worker. The child is
    /// started once, even if this function runs again after a crash or after the child was deleted, and is cancelled
    /// together with its parent. It has the tag `parent:` followed by the id of the parent.
    ///
    /// The id of the child is derived from `key`. If a function uses a key more than once, the children are numbered in
    /// the order in which they are started, so this order must be the same each time the function runs.
    ///
    /// ```
    /// use genkit::durable::{DurableContext as _, FlowOutcome, FolderStore};
    /// use genkit::{Context, Genkit, Registry, Result, flow, flows};
    /// use serde_json::{Value, json};
    ///
    /// /// Squares a number.
    /// #[flow]
    /// async fn square(n: u64) -> u64 { n * n }
    ///
    /// /// Squares numbers, in parallel and on several machines.
    /// #[flow]
    /// async fn squares(ctx: &Context, numbers: Vec<u64>) -> Result<Vec<Value>> {
    ///     let mut children = Vec::new();
    ///     for n in numbers {
    ///         children.push(ctx.start_child_flow("square", "square", json!({"n": n})).await?);
    ///     }
    ///     let mut squares = Vec::new();
    ///     for child in children {
    ///         squares.push(child.wait().await?); // suspended meanwhile
    ///     }
    ///     Ok(squares)
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let folder = std::env::temp_dir().join(format!("genkit-children-{}", std::process::id()));
    /// let registry = Registry::new().add(flows![square, squares]);
    /// let genkit = Genkit::builder().registry(registry).durable(FolderStore::open(&folder)?).build()?;
    /// let run = genkit.durable_flow("r", "squares", json!({"numbers": [3, 4]})).await?;
    /// assert_eq!(run.wait().await?, FlowOutcome::Returned(json!([9, 16])));
    /// # std::fs::remove_dir_all(folder).ok();
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// See [`DurableContext`]. Also returns `NotFound` if the flow does not exist.
    fn start_child_flow(
        &self,
        key: &str,
        flow: &str,
        input: impl Serialize + Send,
    ) -> impl Future<Output = Result<ChildFlow>> + Send;

    /// Starts a run of the agent loop as a child run. Otherwise the same as
    /// [`start_child_flow`](Self::start_child_flow).
    ///
    /// # Errors
    /// See [`DurableContext`]. Also returns the errors of `Genkit::durable_run`.
    fn start_child_run(
        &self,
        key: &str,
        run: Generate,
    ) -> impl Future<Output = Result<ChildRun>> + Send;
}

impl DurableContext for Context {
    async fn wait_for_signal<T: DeserializeOwned>(&self, name: &str) -> Result<T> {
        let value = signals::receive_signal(self, name).await?;
        serde_json::from_value(value)
            .map_err(|why| E::SignalType { name: name.to_owned(), why: why.to_string() }.into())
    }

    async fn publish_status(&self, value: impl Serialize + Send) -> Result<()> {
        let value = to_json(value)?;
        let call = call_of_run(self)?;
        if let Some(live) = &call.live {
            live.publish(Some(value));
        }
        let _busy = self.prevent_drop();
        call.note_published().await
    }

    async fn start_child_flow(
        &self,
        key: &str,
        flow: &str,
        input: impl Serialize + Send,
    ) -> Result<ChildFlow> {
        children::start_flow(self, key, flow, input).await
    }

    async fn start_child_run(&self, key: &str, run: Generate) -> Result<ChildRun> {
        children::start_run(self, key, run).await
    }
}

/// Returns the call of the durable run that `context` belongs to.
fn call_of_run(context: &Context) -> Result<&CallJournal> {
    let call = context.journal().and_then(|journal| journal.call_of_run());
    let call = call.and_then(|call| (call as &dyn std::any::Any).downcast_ref::<CallJournal>());
    Ok(call.ok_or(E::NotInRun)?)
}

/// Calls the store, and again while it is unavailable: an error of the store must not count as an error of the function,
/// and must not be recorded as the result of a child. This ends because the function is dropped if the process cannot
/// renew its lease.
async fn call_store<T, F: Future<Output = Result<T>>>(mut call: impl FnMut() -> F) -> Result<T> {
    let mut wait = SAVE_WAIT;
    loop {
        match within_limit(call()).await {
            Err(error) if error.kind() == ErrorKind::Unavailable => {
                let error = Logged::text(error.chain());
                tracing::warn!(%error, "failed to call the store of a run; the function waits for it");
            }
            done => return done,
        }
        tokio::time::sleep(wait).await;
        wait = (wait * 2).min(LONGEST_SAVE_WAIT);
    }
}
