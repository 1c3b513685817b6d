//! A run with everything that is durable, and the process that performs it: a flow, an agent inside it with an agent as
//! its tool, child runs, timers and a signal. For any store: `open_store` of the parent module opens it.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use genkit::durable::{DurableContext as _, RunChange, RunHead, RunId, RunStore, StoredRun};
use genkit::message::ToolRequest;
use genkit::model::{self, FnModel, ModelResponse};
use genkit::{BoxFuture, Context, Error, Genkit, Registry, Result, Role, flow, flows, tool, tools};
use serde_json::json;

use super::open_store;
use super::process::{Log, die};

/// Passes a process its role.
const ROLE: &str = "GENKIT_EVERYTHING";

/// The role of a process that may be killed.
pub(super) struct ProcessRole {
    /// Passed to `open_store`.
    pub(super) store: String,
    /// The number of the change that kills it; 0 for none.
    pub(super) dies_at: usize,
    /// The run that it performs.
    pub(super) run: String,
    pub(super) folder: PathBuf,
}

impl ProcessRole {
    /// Returns the role of this process, if it was started with one.
    pub(super) fn of_this() -> Option<Self> {
        let role = std::env::var(ROLE).ok()?;
        let [store, dies_at, run, folder] = role.splitn(4, ' ').collect::<Vec<_>>()[..] else {
            panic!("{role}")
        };
        let dies_at = dies_at.parse().unwrap();
        Some(Self { store: store.into(), dies_at, run: run.into(), folder: folder.into() })
    }

    /// Passes the role to a process.
    pub(super) fn pass_to(&self, process: &mut Command) {
        let Self { store, dies_at, run, folder } = self;
        process.env(ROLE, format!("{store} {dies_at} {run} {}", folder.display()));
    }
}

/// Has one effect.
pub(super) async fn act(log: &Log, ctx: &Context, key: &str) -> Result<()> {
    let id = ctx.idempotency_key(key).ok_or_else(|| Error::invalid_argument("no key"))?;
    let effect = async {
        log.write(&format!("effect {id}"));
        Ok::<_, Error>(())
    };
    ctx.once(key, effect).await?;
    log.write(&format!("returned {id}"));
    Ok(())
}

/// Pays.
#[tool]
async fn pay(log: &Log, ctx: &Context) -> Result<&'static str> {
    act(log, ctx, "pay").await?;
    Ok("paid")
}

/// Acts twice.
#[flow]
async fn child(log: &Log, ctx: &Context) -> Result<&'static str> {
    act(log, ctx, "one").await?;
    ctx.sleep(Duration::from_millis(5)).await?;
    act(log, ctx, "two").await?;
    Ok("child")
}

/// Does everything that is durable.
#[flow]
async fn everything(log: &Log, ctx: &Context) -> Result<String> {
    act(log, ctx, "first").await?;
    let flow = ctx.start_child_flow("flow", "child", json!({})).await?;
    let agent = ctx.start_child_run("agent", genkit::generate("Pay.").tools(["pay"])).await?;
    let inside = genkit::generate("Pay inside.").tools(["assistant"]).await?.text();
    ctx.sleep(Duration::from_millis(10)).await?;
    let number: u32 = ctx.wait_for_signal("number").await?;
    ctx.publish_status("signalled").await?;
    act(log, ctx, "second").await?;
    let (flow, agent) = (flow.wait().await?, agent.wait().await?.text());
    Ok(format!("{} {agent} {inside} {number}", flow.as_str().unwrap_or_default()))
}

/// A model that calls its tool once.
fn clerk(log: &Log) -> FnModel {
    let log = log.clone();
    model::from_fn("house/clerk", move |request, _| {
        log.write("model");
        let is_done = request.messages.iter().any(|message| message.role == Role::Tool);
        let call = match &*request.tools[0].name {
            "assistant" => ToolRequest::new("assistant", json!({"task": "Pay."})),
            name => ToolRequest::new(name, json!({})),
        };
        async move {
            match is_done {
                true => ModelResponse::from_text("done"),
                false => ModelResponse::from_tool_requests([call]),
            }
        }
    })
}

pub(super) fn program(store: impl RunStore, log: &Log) -> Genkit {
    let assistant = genkit::generate(()).model(clerk(log)).tools(tools![pay]).state(log.clone());
    let assistant = assistant.into_tool("assistant", "Pays.");
    let registry = Registry::new().add(tools![pay]).add([assistant]).add(flows![everything, child]);
    let genkit = Genkit::builder().registry(registry).state(log.clone());
    genkit.default_model(clerk(log)).durable(store).build().unwrap()
}

/// A store whose process dies before or after a change. The change is the `dies_at`-th; 0 if the process survives.
#[derive(Clone)]
pub(super) struct Deadly {
    inner: Arc<dyn RunStore>,
    left: Arc<AtomicUsize>,
}

impl Deadly {
    pub(super) fn new(inner: Arc<dyn RunStore>, dies_at: usize) -> Self {
        Self { inner, left: Arc::new(AtomicUsize::new(dies_at)) }
    }

    /// Dies before the change if the number is even, and after it otherwise.
    async fn change<T>(&self, change: BoxFuture<'_, Result<T>>) -> Result<T> {
        let left = self.left.load(Ordering::SeqCst);
        let dies = left > 0 && self.left.fetch_sub(1, Ordering::SeqCst) == 2;
        if dies && std::process::id().is_multiple_of(2) {
            die();
        }
        let changed = change.await;
        if dies {
            die();
        }
        changed
    }
}

impl RunStore for Deadly {
    all_of_inner_but!(create, save, lease);

    fn create<'a>(&'a self, run: &'a RunId, first: &'a RunChange) -> BoxFuture<'a, Result<bool>> {
        Box::pin(async move {
            // The next process does not have to wait until it may begin the task of a dead one.
            let first = first.clone().with_wake_at_ms(None);
            self.change(self.inner.create(run, &first)).await
        })
    }

    fn save<'a>(
        &'a self,
        run: &'a RunId,
        at: u64,
        change: &'a RunChange,
    ) -> BoxFuture<'a, Result<Option<u64>>> {
        Box::pin(self.change(self.inner.save(run, at, change)))
    }

    fn lease<'a>(
        &'a self,
        run: &'a RunId,
        owner: &'a str,
        _: Duration,
    ) -> BoxFuture<'a, Result<Option<RunHead>>> {
        // The next process does not have to wait for the lease of the dead one.
        self.inner.lease(run, owner, Duration::from_millis(1))
    }
}

/// The process of the tests below. Without a role, it does nothing.
#[tokio::test]
async fn process_that_does_everything() {
    let Some(ProcessRole { store, dies_at, run, folder }) = ProcessRole::of_this() else { return };
    let store = Deadly::new(open_store(&store, &folder).await, dies_at);
    let genkit = program(store, &Log(folder.join("log")));
    let run = genkit.find_durable_flow(run).await.unwrap().unwrap();
    let end = async move {
        // A store that fails for a while fails here, too.
        while !run.status().await.is_ok_and(|status| status.is_over()) {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    genkit.work().poll(Duration::from_millis(1)).until(end).await.unwrap();
}
