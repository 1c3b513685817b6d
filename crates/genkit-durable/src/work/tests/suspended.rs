//! Suspended runs that receive signals, time out, or have running children.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use genkit::durable::{DurableContext as _, FlowOutcome, FolderStore};
use genkit::{Context, Genkit, Registry, Result, flow, flows};
use genkit_core::internal::sync::lock;
use genkit_core::{RunId, RunStatus, RunStore};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::stores::Interrupted;
use super::{all_suspended, has_ended, work_until};
use crate::memory::MemoryRuns;

/// Waits for a word, but not for long.
#[flow]
async fn word_or_time(ctx: &Context) -> Result<String> {
    tokio::select! {
        biased;
        word = ctx.wait_for_signal("word") => word,
        slept = ctx.sleep(Duration::from_millis(20)) => slept.map(|()| "late".to_owned()),
    }
}

/// Waits for a word, or for a child.
#[flow]
async fn word_or_child(ctx: &Context) -> Result<String> {
    let child = ctx.start_child_flow("child", "wait_for_end", json!({})).await?;
    tokio::select! {
        biased;
        word = ctx.wait_for_signal("word") => word,
        ended = child.wait() => ended.map(|ended| ended.to_string()),
    }
}

/// Closed gates of a flow and of the load of its run.
#[derive(Clone, Default)]
struct Gates {
    flow_began: CancellationToken,
    load_began: CancellationToken,
    load_ends: CancellationToken,
}

/// Waits for a word that a renewal of the lease finds just after the wait started.
#[flow]
async fn word_of_renewal(gates: &Gates, ctx: &Context) -> Result<String> {
    gates.flow_began.cancel();
    gates.load_began.cancelled().await;
    gates.load_ends.cancel();
    ctx.wait_for_signal("word").await
}

/// Waits for its end.
#[flow]
async fn wait_for_end(ctx: &Context) -> Result<String> {
    ctx.wait_for_signal("end").await
}

fn process(store: impl RunStore, lease: Duration) -> Genkit {
    process_with_gates(store, lease, &Gates::default())
}

fn process_with_gates(store: impl RunStore, lease: Duration, gates: &Gates) -> Genkit {
    let flows = flows![word_or_time, word_or_child, word_of_renewal, wait_for_end];
    let genkit = Genkit::builder().registry(Registry::new().add(flows)).state(gates.clone());
    genkit.durable(store).durable_lease(lease).build().expect("a program")
}

const LEASE: Duration = Duration::from_secs(30);

#[tokio::test]
async fn end_of_a_sleep_or_child_is_noticed_next_to_a_wait_for_a_signal() {
    let place = format!("genkit-suspended-{}", genkit_core::internal::error::new_reference());
    let folder = std::env::temp_dir().join(place);
    let genkit = process(FolderStore::open(&folder).expect("a folder"), LEASE);
    let run = genkit.durable_flow("t", "word_or_time", json!({})).await.expect("a run");
    work_until(&genkit, has_ended(&genkit, "t")).await;
    assert_eq!(run.wait().await.expect("it ends"), FlowOutcome::Returned(json!("late")));
    let run = genkit.durable_flow("c", "word_or_child", json!({})).await.expect("a run");
    let child = work_until(&genkit, all_suspended(&genkit, 2)).await.remove(1).id;
    assert!(genkit.runs().signal(child.as_str(), "end", "end").await.expect("it is sent"));
    work_until(&genkit, has_ended(&genkit, "c")).await;
    assert_eq!(run.wait().await.expect("it ends"), FlowOutcome::Returned(json!("\"end\"")));
    std::fs::remove_dir_all(folder).ok();
}

/// A signal that is sent while a worker checks the suspended run: in the middle of the check, so that a renewal of the
/// lease finds it, or just before the save.
#[tokio::test]
async fn signal_during_a_check_of_a_suspended_run_is_received() {
    for is_in_the_middle in [true, false] {
        let inner = Arc::new(MemoryRuns::default());
        let store = Interrupted { inner: Arc::clone(&inner) as _, ..Interrupted::default() };
        let (genkit, client) = (
            process(store.clone(), Duration::from_millis(150)),
            process(super::stores::Shared(inner), LEASE),
        );
        let run = client.durable_flow("p", "word_or_child", json!({})).await.expect("a run");
        work_until(&genkit, all_suspended(&genkit, 2)).await;
        let loads = Arc::clone(&store.loads);
        let sent = Arc::new(AtomicUsize::new(0));
        let (sender, is_sent) = (client.clone(), Arc::clone(&sent));
        let hook = async move {
            assert!(sender.runs().signal("p", "word", "hello").await.expect("it is sent"));
            is_sent.store(1, Ordering::SeqCst);
            let before = loads.load(Ordering::SeqCst);
            while is_in_the_middle && loads.load(Ordering::SeqCst) == before {
                tokio::task::yield_now().await;
            }
        };
        let place = if is_in_the_middle { &store.before_peek_of_child } else { &store.before_save };
        *lock(place) = Some(Box::pin(hook));
        work_until(&genkit, has_ended(&genkit, "p")).await;
        assert_eq!(sent.load(Ordering::SeqCst), 1, "the worker has looked");
        assert_eq!(run.wait().await.expect("it ends"), FlowOutcome::Returned(json!("hello")));
        let head = store.peek(&RunId::new("p").expect("an id")).await.expect("it reads");
        assert_eq!(head.expect("a run").status, RunStatus::Completed);
    }
}

#[tokio::test]
async fn signal_of_a_renewal_is_received_by_a_wait_that_has_just_begun() {
    let inner = Arc::new(MemoryRuns::default());
    let store = Interrupted { inner: Arc::clone(&inner) as _, ..Interrupted::default() };
    let (gates, client) = (Gates::default(), process(super::stores::Shared(inner), LEASE));
    let genkit = process_with_gates(store.clone(), Duration::from_millis(150), &gates);
    let run = client.durable_flow("f", "word_of_renewal", json!({})).await.expect("a run");
    let send = async {
        gates.flow_began.cancelled().await;
        let Gates { load_began, load_ends, .. } = gates.clone();
        let hook = async move {
            load_began.cancel();
            load_ends.cancelled().await;
        };
        *lock(&store.before_load) = Some(Box::pin(hook));
        run.signal("word", "hello").await.expect("it is sent");
        has_ended(&client, "f").await;
    };
    work_until(&genkit, send).await;
    assert!(lock(&store.before_load).is_none(), "a renewal has loaded the run");
    assert_eq!(run.wait().await.expect("it ends"), FlowOutcome::Returned(json!("hello")));
}
