//! Tests of retention: the children of unfinished runs are kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use genkit::durable::{DurableContext as _, FlowOutcome};
use genkit::{Context, Genkit, Registry, Result, flow, flows};
use serde_json::json;

use super::{all_suspended, has_ended, work_until};
use crate::memory::MemoryRuns;

/// The parcels that were packed.
#[derive(Clone, Default)]
struct Parcels(Arc<AtomicUsize>);

/// Packs a parcel.
#[flow]
async fn pack(parcels: &Parcels) -> usize {
    parcels.0.fetch_add(1, Ordering::SeqCst)
}

/// Packs a parcel, and waits for the payment.
#[flow]
async fn ship(ctx: &Context) -> Result<String> {
    let parcel = ctx.start_child_flow("parcel", "pack", json!({})).await?;
    let () = ctx.wait_for_signal("paid").await?;
    Ok(match parcel.wait().await {
        Ok(number) => number.to_string(),
        Err(error) => format!("{:?}", error.kind()),
    })
}

#[tokio::test]
async fn finished_child_is_kept_for_its_parent_and_never_started_again() {
    for (is_deleted, result) in [(false, "0"), (true, "NotFound")] {
        let parcels = Parcels::default();
        let genkit = Genkit::builder().registry(Registry::new().add(flows![pack, ship]));
        let genkit = genkit.state(parcels.clone()).durable(MemoryRuns::default());
        let genkit = genkit.build().expect("a program");
        let run = genkit.durable_flow("order", "ship", json!({})).await.expect("a run");
        let children = genkit::durable::RunFilter::new().tag("parent:order");
        let child = work_until(&genkit, async {
            // The child is finished, and its parent waits for the payment.
            while parcels.0.load(Ordering::SeqCst) == 0 {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            let child = genkit.runs().list(children).await.expect("it lists").remove(0).id;
            has_ended(&genkit, child.as_str()).await;
            all_suspended(&genkit, 1).await;
            child
        });
        let child = child.await;
        tokio::time::sleep(Duration::from_millis(2)).await;
        assert_eq!(genkit.runs().delete_finished(Duration::ZERO).await.expect("it deletes"), 0);
        if is_deleted {
            assert!(genkit.runs().delete(child.as_str()).await.expect("it deletes"));
        }
        run.signal("paid", ()).await.expect("it is sent");
        work_until(&genkit, has_ended(&genkit, "order")).await;
        assert_eq!(run.wait().await.expect("it ends"), FlowOutcome::Returned(json!(result)));
        assert_eq!(parcels.0.load(Ordering::SeqCst), 1);
        tokio::time::sleep(Duration::from_millis(2)).await;
        let deleted = genkit.runs().delete_finished(Duration::ZERO).await.expect("it deletes");
        assert!(deleted >= 1, "the parent, and then the child");
    }
}
