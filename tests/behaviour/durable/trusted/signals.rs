//! Signals that runs receive from outside, and the status that they publish.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use genkit::durable::{
    DurableContext as _, DurableFlow, FlowOutcome, RunChange, RunHead, RunId, RunStatus, RunStore,
    RunWait, StoredRun,
};
use genkit::{
    BoxFuture, Context, Error, ErrorKind, Genkit, Registry, Result, flow, flows, tool, tools,
};
use serde_json::{Value, json};

use super::super::memory::MemoryStore;
use super::super::stored::Temp;
use super::calls;

/// The number of effects in all processes.
#[derive(Clone, Default)]
struct Effects(Arc<AtomicUsize>);

/// Receives two signals, with an effect after each of them.
#[flow]
async fn collect(effects: &Effects, ctx: &Context) -> Result<Vec<u32>> {
    ctx.publish_status(json!({"received": 0})).await?;
    let mut received = Vec::new();
    for key in ["first", "second"] {
        received.push(ctx.wait_for_signal("number").await?);
        let effect = async { Ok::<_, Error>(effects.0.fetch_add(1, Ordering::SeqCst)) };
        ctx.once(key, effect).await?;
        ctx.publish_status(json!({"received": received.len()})).await?;
    }
    Ok(received)
}

/// Receives a signal while it works.
#[tool(timeout = "1h")]
async fn listen(ctx: &Context) -> Result<String> {
    ctx.wait_for_signal("word").await
}

/// Receives a signal, but never again.
#[tool(at_most_once, timeout = "1h")]
async fn listen_once(ctx: &Context) -> Result<String> {
    ctx.wait_for_signal("word").await
}

fn process(store: impl RunStore, effects: &Effects, tool: &'static str) -> Genkit {
    let registry = Registry::new().add(flows![collect]).add(tools![listen, listen_once]);
    let genkit = Genkit::builder().registry(registry).state(effects.clone());
    genkit.default_model(calls(tool)).durable(store).build().unwrap()
}

async fn suspended(store: &impl RunStore, id: &str, saves: u64) -> u64 {
    let id = RunId::new(id).unwrap();
    loop {
        let head = store.peek(&id).await.unwrap().unwrap();
        let leased = store.lease(&id, "test", Duration::from_millis(1)).await.unwrap();
        if leased.is_some() {
            store.release(&id, "test").await.unwrap();
        }
        if head.revision >= saves && head.wake_at_ms.is_some() && leased.is_some() {
            return head.revision;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn signals_wake_a_suspended_run(store: impl RunStore + Clone) {
    let effects = Effects::default();
    let genkit = process(store.clone(), &effects, "listen");
    let run = genkit.durable_flow("f", "collect", json!({})).await.unwrap();
    let worker = tokio::spawn(genkit.work().poll(Duration::from_millis(5)).run());
    let at = suspended(&store, "f", 2).await;
    assert_eq!(run.published_status::<Value>().await.unwrap(), Some(json!({"received": 0})));
    let details = genkit.runs().inspect("f").await.unwrap().unwrap();
    assert_eq!(details.waits, [RunWait::Signal("number".to_owned())]);
    let shown = genkit.runs().command(["show", "f"]).await.unwrap();
    assert!(shown.contains("waits for: the signal `number`\n"), "{shown}");
    // Another process sends the signals; it has no functions.
    let client =
        Genkit::builder().registry(Registry::new()).durable(store.clone()).build().unwrap();
    let other: DurableFlow = client.find_durable_flow("f").await.unwrap().unwrap();
    other.signal("other", 7).await.unwrap();
    other.signal("number", 1).await.unwrap();
    suspended(&store, "f", at + 3).await;
    assert_eq!(other.published_status::<Value>().await.unwrap(), Some(json!({"received": 1})));
    other.signal("number", 2).await.unwrap();
    while other.status().await.unwrap() != RunStatus::Completed {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    worker.abort();
    assert_eq!(run.wait().await.unwrap(), FlowOutcome::Returned(json!([1, 2])));
    assert!(genkit.runs().inspect("f").await.unwrap().unwrap().waits.is_empty());
    assert_eq!(effects.0.load(Ordering::SeqCst), 2);
    assert_eq!(run.published_status::<Value>().await.unwrap(), Some(json!({"received": 2})));
    let late = run.signal("number", 3).await.unwrap_err();
    assert_eq!(late.kind(), ErrorKind::FailedPrecondition);
    let wrong = run.published_status::<u32>().await.unwrap_err();
    assert_eq!(wrong.kind(), ErrorKind::InvalidArgument);
}

#[tokio::test]
async fn signals_wake_a_suspended_run_on_every_local_store() {
    let temp = Temp::new("signals");
    signals_wake_a_suspended_run(temp.folder()).await;
    signals_wake_a_suspended_run(temp.sqlite()).await;
}

/// A store whose process hangs at a save, so that it can be dropped there.
struct Hanging {
    inner: MemoryStore,
    /// The number of saves before the one that hangs.
    left: AtomicUsize,
    is_after: bool,
}

impl RunStore for Hanging {
    all_of_inner_but!(save);

    fn save<'a>(
        &'a self,
        run: &'a RunId,
        at: u64,
        change: &'a RunChange,
    ) -> BoxFuture<'a, Result<Option<u64>>> {
        let hangs = self.left.fetch_sub(1, Ordering::SeqCst) == 0;
        Box::pin(async move {
            if hangs && !self.is_after {
                std::future::pending::<()>().await;
            }
            let saved = self.inner.save(run, at, change).await;
            if hangs {
                std::future::pending::<()>().await;
            }
            saved
        })
    }
}

#[tokio::test(start_paused = true)]
async fn signals_are_received_once_and_in_order_after_crashes() {
    for is_after in [false, true] {
        let mut crashes = 0;
        for left in 0.. {
            let (inner, effects) = (MemoryStore::default(), Effects::default());
            let client = process(inner.clone(), &effects, "listen");
            let run = client.durable_flow("f", "collect", json!({})).await.unwrap();
            for number in [5, 6, 7] {
                run.signal("number", number).await.unwrap();
            }
            let store = Hanging { inner: inner.clone(), left: AtomicUsize::new(left), is_after };
            let genkit = process(store, &effects, "listen");
            let dying = genkit.find_durable_flow("f").await.unwrap().unwrap();
            let first = tokio::time::timeout(Duration::from_secs(5), dying.wait()).await;
            inner.steal("f");
            let outcome = run.wait().await.unwrap();
            assert_eq!(outcome, FlowOutcome::Returned(json!([5, 6])), "{left}");
            if first.is_ok() {
                break;
            }
            crashes += 1;
        }
        assert!(crashes >= 8, "{crashes}");
    }
}

#[tokio::test(start_paused = true)]
async fn working_call_receives_signals_without_losing_its_work() {
    for tool in ["listen", "listen_once"] {
        let (store, effects) = (MemoryStore::default(), Effects::default());
        let genkit = process(store.clone(), &effects, tool);
        let ask = genkit::generate("go").tools([tool]);
        let run = genkit.durable_run("r", ask).await.unwrap();
        let waiting = {
            let run = run.clone();
            tokio::spawn(async move { run.wait().await })
        };
        tokio::time::sleep(Duration::from_secs(15)).await;
        run.signal("word", "hello").await.unwrap();
        let response = waiting.await.unwrap().unwrap();
        assert_eq!(super::super::super::generate::outputs(&response), ["hello"], "{tool}");
    }
}

#[tokio::test]
async fn signals_need_a_durable_run_and_have_a_limit() {
    let error = Context::detached().wait_for_signal::<u32>("x").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FailedPrecondition);
    let error = Context::detached().publish_status(1).await.unwrap_err();
    assert!(error.to_string().contains("durable_run"), "{error}");
    let genkit = process(MemoryStore::default(), &Effects::default(), "listen");
    let run = genkit.durable_flow("f", "collect", json!({})).await.unwrap();
    run.signal("big", "x".repeat(1000 * 1000)).await.unwrap();
    let full = run.signal("big", "x".repeat(100 * 1000)).await.unwrap_err();
    assert_eq!(full.kind(), ErrorKind::ResourceExhausted);
}
