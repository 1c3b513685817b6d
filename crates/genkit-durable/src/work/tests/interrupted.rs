//! Cancelling a run again completes a cancellation that was interrupted.

use genkit::durable::{DurableContext as _, DurableOptions};
use genkit::{Context, Genkit, Registry, Result, flow, flows};
use genkit_core::{RunChange, RunId, RunStatus};
use serde_json::json;

use super::{all_suspended, work_until};
use crate::memory::MemoryRuns;
use crate::runs::run_store;

/// Starts a child, which starts a child as well.
#[flow]
async fn start_below(ctx: &Context, depth: u32) -> Result<()> {
    if depth > 0 {
        ctx.start_child_flow("below", "start_below", json!({"depth": depth - 1})).await?;
    }
    ctx.wait_for_signal("never").await
}

#[tokio::test]
async fn repeated_cancellation_reaches_the_children_of_a_cancelled_child() {
    let genkit = Genkit::builder().registry(Registry::new().add(flows![start_below]));
    let genkit = genkit.durable(MemoryRuns::default()).build().expect("a program");
    // The tag makes the run its own child.
    let (input, options) = (json!({"depth": 2}), DurableOptions::new().tag("parent:r"));
    let run = genkit.durable_flow_with("r", "start_below", input, options).await.expect("a run");
    let listed = work_until(&genkit, all_suspended(&genkit, 3)).await;
    // The process that cancelled the run also cancelled its child, and then ended.
    let store = run_store(&genkit).expect("a store");
    let mut ids: Vec<RunId> = listed.into_iter().map(|run| run.id).collect();
    ids.sort_by_key(|id| id.as_str().len());
    for id in &ids[..2] {
        let stored = store.load(id).await.expect("it loads").expect("a run");
        let change = RunChange::new(RunStatus::Cancelled, stored.head);
        store.save(id, stored.at.revision, &change).await.expect("it saves").expect("unchanged");
    }
    assert!(!genkit.runs().cancel("r").await.expect("it cancels"), "it was cancelled before");
    let head = store.peek(&ids[2]).await.expect("it reads").expect("a run");
    assert_eq!(head.status, RunStatus::Cancelled);
    assert!(run.cancel().await.is_ok());
}
