//! Two workers on one store of any kind, and a process that waits.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use genkit::durable::{RunStatus, RunStore};
use genkit::message::ToolRequest;
use genkit::model::{self, ModelResponse};
use genkit::{Genkit, Registry, Role, tool, tools};
use serde_json::json;
use tokio::sync::Notify;

#[derive(Clone, Default)]
struct Counted(Arc<Mutex<BTreeMap<String, usize>>>);

/// Counts its calls.
#[tool]
async fn count(counted: &Counted, name: String) -> usize {
    tokio::time::sleep(Duration::from_millis(3)).await;
    let mut counts = counted.0.lock().unwrap();
    let count = counts.entry(name).or_default();
    *count += 1;
    *count
}

fn counting(store: impl RunStore, counted: &Counted, models: &Arc<AtomicUsize>) -> Genkit {
    let models = Arc::clone(models);
    let model =
        model::from_fn("house/counts", move |request, _| {
            models.fetch_add(1, Ordering::SeqCst);
            let asked = request.messages[0].text();
            let is_done = request.messages.iter().any(|message| message.role == Role::Tool);
            async move {
                tokio::time::sleep(Duration::from_millis(2)).await;
                match is_done {
                    true => ModelResponse::from_text("counted"),
                    false => ModelResponse::from_tool_requests(["x", "y", "z"].map(|at| {
                        ToolRequest::new("count", json!({"name": format!("{asked}{at}")}))
                    })),
                }
            }
        });
    Genkit::builder()
        .registry(Registry::new().add(tools![count]))
        .state(counted.clone())
        .default_model(model)
        .durable(store)
        .build()
        .unwrap()
}

const RUNS: usize = 12;

pub(super) async fn two_workers_settle_each_step_once<S: RunStore + Clone>(
    open: impl Fn() -> S,
    name: &str,
) {
    let (counted, models) = (Counted::default(), Arc::<AtomicUsize>::default());
    let stop = Arc::new(Notify::new());
    let mut workers = Vec::new();
    for _ in 0..2 {
        let stop = Arc::clone(&stop);
        let genkit = counting(open(), &counted, &models);
        let work = genkit.work().concurrency(4).poll(Duration::from_millis(5));
        workers.push(tokio::spawn(work.until(async move { stop.notified().await }).run()));
    }
    let genkit = counting(open(), &counted, &models);
    let mut runs = Vec::new();
    for at in 0..RUNS {
        let ask = genkit::generate(format!("r{at}")).tools(["count"]);
        runs.push(genkit.durable_run(format!("{name}-{at}"), ask).await.unwrap());
    }
    for run in &runs {
        // A process that waits also performs steps.
        assert_eq!(run.wait().await.unwrap().text(), "counted");
        assert_eq!(run.status().await.unwrap(), RunStatus::Completed);
        assert!(run.delete().await.unwrap());
    }
    stop.notify_waiters();
    for worker in workers {
        worker.await.unwrap().unwrap();
    }
    let counts = counted.0.lock().unwrap();
    assert_eq!(counts.len(), 3 * RUNS);
    assert!(counts.values().all(|count| *count == 1), "{counts:?}");
    assert_eq!(models.load(Ordering::SeqCst), 2 * RUNS);
}
