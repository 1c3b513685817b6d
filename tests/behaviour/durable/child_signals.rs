//! A parent, its child and a signal in several processes; for any store.

use std::time::Duration;

use genkit::durable::{DurableContext as _, FlowOutcome, RunFilter, RunStatus, RunStore};
use genkit::{Context, Genkit, Registry, Result, flow, flows};
use serde_json::json;

/// Waits for a word.
#[flow]
async fn wait_for_word(ctx: &Context) -> Result<String> {
    ctx.publish_status("waiting").await?;
    ctx.wait_for_signal("word").await
}

/// Waits for a child.
#[flow]
async fn wait_for_child(ctx: &Context) -> Result<String> {
    let child = ctx.start_child_flow("child", "wait_for_word", json!({})).await?;
    Ok(format!("{} from {}", child.wait().await?, child.id()))
}

fn process(store: impl RunStore) -> Genkit {
    let registry = Registry::new().add(flows![wait_for_word, wait_for_child]);
    Genkit::builder().registry(registry).durable(store).build().unwrap()
}

/// Performs the runs with a worker, while another process sends the signal.
pub(super) async fn signal_reaches_a_child_and_its_result_the_parent<S: RunStore>(
    open: impl Fn() -> S,
    run: &str,
) {
    let (worker, client) = (process(open()), process(open()));
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let until = async { drop(stopped.await) };
    let working = worker.work().poll(Duration::from_millis(5)).until(until);
    let working = tokio::spawn(working.run());
    let parent = client.durable_flow(run, "wait_for_child", json!({})).await.unwrap();
    let children = RunFilter::new().tag(format!("parent:{run}"));
    let child = loop {
        let listed = client.runs().list(children.clone()).await.unwrap();
        if let Some(child) = listed.into_iter().next() {
            break client.find_durable_flow(child.id.as_str()).await.unwrap().unwrap();
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    };
    while child.published_status::<String>().await.unwrap().is_none() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    child.signal("word", "hello").await.unwrap();
    while parent.status().await.unwrap() != RunStatus::Completed {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    stop.send(()).unwrap();
    working.await.unwrap().unwrap();
    let expected = format!("\"hello\" from {}", child.id());
    assert_eq!(parent.wait().await.unwrap(), FlowOutcome::Returned(json!(expected)));
    for run in [parent, child] {
        assert!(run.delete().await.unwrap());
    }
}
