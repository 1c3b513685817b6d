//! A store that does not respond once, at any of its calls, while a parent and its children run.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use genkit::durable::{
    DurableContext as _, DurableOptions, FlowOutcome, RetryPolicy, RunChange, RunEntry, RunFilter,
    RunHead, RunId, RunStatus, RunStore, StoredRun,
};
use genkit::{
    BoxFuture, Context, Error, ErrorKind, Genkit, Registry, Result, flow, flows, tool, tools,
};
use serde_json::json;

use super::super::failing_store::Fails;
use super::super::memory::MemoryStore;
use super::calls;

/// A store that fails at one of its calls.
#[derive(Clone)]
struct UnavailableOnce {
    inner: MemoryStore,
    calls: Arc<AtomicUsize>,
    at: usize,
    how: Fails,
}

impl UnavailableOnce {
    async fn call<T>(&self, call: BoxFuture<'_, Result<T>>) -> Result<T> {
        let fails = self.calls.fetch_add(1, Ordering::SeqCst) + 1 == self.at;
        if fails && matches!(self.how, Fails::Before) {
            return Err(Error::new(ErrorKind::Unavailable, "the connection is gone"));
        }
        let result = call.await;
        match fails {
            true => Err(Error::new(ErrorKind::Unavailable, "the response is lost")),
            false => result,
        }
    }
}

impl RunStore for UnavailableOnce {
    fn create<'a>(&'a self, run: &'a RunId, first: &'a RunChange) -> BoxFuture<'a, Result<bool>> {
        Box::pin(self.call(self.inner.create(run, first)))
    }

    fn load<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Option<StoredRun>>> {
        Box::pin(self.call(self.inner.load(run)))
    }

    fn peek<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Option<RunHead>>> {
        Box::pin(self.call(self.inner.peek(run)))
    }

    fn save<'a>(
        &'a self,
        run: &'a RunId,
        at: u64,
        change: &'a RunChange,
    ) -> BoxFuture<'a, Result<Option<u64>>> {
        Box::pin(self.call(self.inner.save(run, at, change)))
    }

    fn lease<'a>(
        &'a self,
        run: &'a RunId,
        owner: &'a str,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Option<RunHead>>> {
        Box::pin(self.call(self.inner.lease(run, owner, ttl)))
    }

    fn release<'a>(&'a self, run: &'a RunId, owner: &'a str) -> BoxFuture<'a, Result<()>> {
        Box::pin(self.call(self.inner.release(run, owner)))
    }

    fn due(&self, limit: usize) -> BoxFuture<'_, Result<Vec<RunId>>> {
        Box::pin(self.call(self.inner.due(limit)))
    }

    fn delete<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<bool>> {
        Box::pin(self.call(self.inner.delete(run)))
    }

    fn list<'a>(&'a self, filter: &'a RunFilter) -> BoxFuture<'a, Result<Vec<RunEntry>>> {
        Box::pin(self.call(self.inner.list(filter)))
    }
}

/// Greets.
#[flow]
async fn greet(_ctx: &Context) -> &'static str {
    "hello"
}

/// Looks something up.
#[tool]
async fn look_up() -> &'static str {
    "found"
}

/// Starts two children and waits for both.
#[flow]
async fn call_children(ctx: &Context) -> Result<String> {
    let flow = ctx.start_child_flow("flow", "greet", json!({})).await?;
    let agent = ctx.start_child_run("agent", genkit::generate("look").tools(["look_up"])).await?;
    let (greeting, text) = (flow.wait().await?, agent.wait().await?.text());
    Ok(format!("{} {text}", greeting.as_str().unwrap_or_default()))
}

fn process(store: impl RunStore) -> Genkit {
    let registry = Registry::new().add(flows![greet, call_children]).add(tools![look_up]);
    let genkit = Genkit::builder().registry(registry).default_model(calls("look_up"));
    genkit.durable(store).build().unwrap()
}

/// Performs the runs with a worker whose store fails at one of its calls. Returns the number of calls.
async fn perform_runs(at: usize, how: Fails) -> usize {
    let store = UnavailableOnce { inner: MemoryStore::default(), calls: Arc::default(), at, how };
    let (client, worker) = (process(store.inner.clone()), process(store.clone()));
    // An error of the store must not count as an error of the flow.
    let options = DurableOptions::new().retry(RetryPolicy::new().max_retries(0));
    let run = client.durable_flow_with("p", "call_children", json!({}), options).await.unwrap();
    let end = {
        let run = run.clone();
        async move {
            while run.status().await.unwrap() == RunStatus::Working {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
    };
    worker.work().poll(Duration::from_millis(5)).until(end).await.unwrap();
    let outcome =
        run.wait().await.unwrap_or_else(|error| panic!("{how:?} {at}: {}", error.chain()));
    assert_eq!(outcome, FlowOutcome::Returned(json!("hello done")), "{how:?} {at}");
    store.calls.load(Ordering::SeqCst)
}

#[tokio::test(start_paused = true)]
async fn store_that_is_unavailable_once_fails_no_run() {
    let calls = perform_runs(0, Fails::Before).await;
    assert!(calls > 20, "{calls}");
    for how in [Fails::Before, Fails::After] {
        for at in 1..=calls {
            perform_runs(at, how).await;
        }
    }
}
