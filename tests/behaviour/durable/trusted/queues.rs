//! Limits of workers per name and tag, priorities and builds.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use genkit::durable::{DurableOptions, RunStatus, RunStore, Worker};
use genkit::{Genkit, Registry, flow, flows};
use serde_json::json;

use super::super::memory::MemoryStore;
use super::super::stored::Temp;

/// The number of running flows, and its maximum so far.
#[derive(Clone, Default)]
struct Load(Arc<[AtomicUsize; 2]>);

impl Load {
    fn highest(&self) -> usize {
        self.0[1].swap(0, Ordering::SeqCst)
    }
}

/// Takes a second.
#[flow]
async fn hold(load: &Load) {
    let running = load.0[0].fetch_add(1, Ordering::SeqCst) + 1;
    load.0[1].fetch_max(running, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_secs(1)).await;
    load.0[0].fetch_sub(1, Ordering::SeqCst);
}

/// Does nothing.
#[flow]
async fn quick() {}

fn process(store: impl RunStore, load: &Load) -> Genkit {
    let genkit = Genkit::builder().registry(Registry::new().add(flows![hold, quick]));
    genkit.state(load.clone()).durable_build("1.0").durable(store).build().unwrap()
}

async fn completed(genkit: &Genkit, ids: &[String]) -> usize {
    let mut completed = 0;
    for id in ids {
        let run = genkit.find_durable_flow(id).await.unwrap().unwrap();
        completed += usize::from(run.status().await.unwrap() == RunStatus::Completed);
    }
    completed
}

async fn work_for(worker: Worker, seconds: u64) {
    worker.until(tokio::time::sleep(Duration::from_secs(seconds))).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn worker_limits_runs_per_name_and_tag_without_delaying_others() {
    for key in ["hold", "vip"] {
        let load = Load::default();
        let genkit = process(MemoryStore::default(), &load);
        let mut ids = Vec::new();
        for number in 0..40 {
            let (id, options) = (format!("a-{number}"), DurableOptions::new().tag("vip"));
            genkit.durable_flow_with(&id, "hold", json!({}), options).await.unwrap();
            ids.push(id);
        }
        let other = genkit.durable_flow("z", "quick", json!({})).await.unwrap();
        let worker =
            genkit.work().concurrency_limit(key, 2).concurrency(8).poll(Duration::from_millis(100));
        let stop = tokio::time::sleep(Duration::from_secs(2));
        worker.until(stop).await.unwrap();
        assert_eq!(other.status().await.unwrap(), RunStatus::Completed);
        assert!((2..=6).contains(&completed(&genkit, &ids).await));
        let worker =
            genkit.work().concurrency_limit(key, 2).concurrency(8).poll(Duration::from_millis(100));
        work_for(worker, 40).await;
        assert_eq!((completed(&genkit, &ids).await, load.highest()), (40, 2), "{key}");
    }
}

#[tokio::test(start_paused = true)]
async fn worker_limits_runs_for_each_tag_with_a_prefix() {
    /// The number of running flows of each customer, and its maximum so far.
    #[derive(Clone, Default)]
    struct Customers(Arc<[Load; 3]>);

    /// Takes a second.
    #[flow]
    async fn serve(customers: &Customers, customer: usize) {
        for load in [&customers.0[customer], &customers.0[2]] {
            let running = load.0[0].fetch_add(1, Ordering::SeqCst) + 1;
            load.0[1].fetch_max(running, Ordering::SeqCst);
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        for load in [&customers.0[customer], &customers.0[2]] {
            load.0[0].fetch_sub(1, Ordering::SeqCst);
        }
    }

    let customers = Customers::default();
    let genkit = Genkit::builder().registry(Registry::new().add(flows![serve]));
    let genkit = genkit.state(customers.clone()).durable(MemoryStore::default()).build().unwrap();
    let mut ids = Vec::new();
    for number in 0..20 {
        let (id, customer) = (format!("a-{number}"), number % 2);
        let options = DurableOptions::new().tag(format!("customer:{customer}"));
        let input = json!({"customer": customer});
        genkit.durable_flow_with(&id, "serve", input, options).await.unwrap();
        ids.push(id);
    }
    let worker = genkit.work().concurrency_limit_per_tag("customer:", 1).concurrency(8);
    work_for(worker.poll(Duration::from_millis(100)), 60).await;
    assert_eq!(completed(&genkit, &ids).await, 20);
    let highest = customers.0.each_ref().map(Load::highest);
    assert_eq!(highest, [1, 1, 2], "one run per customer, and both customers in parallel");
}

#[tokio::test(start_paused = true)]
async fn worker_starts_runs_at_a_rate() {
    let genkit = process(MemoryStore::default(), &Load::default());
    let ids: Vec<String> = (0..5).map(|number| format!("q-{number}")).collect();
    for id in &ids {
        genkit.durable_flow(id, "quick", json!({})).await.unwrap();
    }
    let hourly = || genkit.work().rate_limit("quick", 2, Duration::from_secs(3600));
    work_for(hourly(), 1800).await;
    assert_eq!(completed(&genkit, &ids).await, 2);
    work_for(hourly(), 2 * 3600).await;
    assert_eq!(completed(&genkit, &ids).await, 5);
}

#[tokio::test(start_paused = true)]
async fn worker_leaves_runs_of_other_builds_to_others() {
    let genkit = process(MemoryStore::default(), &Load::default());
    let run = genkit.durable_flow("f", "quick", json!({})).await.unwrap();
    work_for(genkit.work().accept_builds(|build| build == Some("2.0")), 200).await;
    assert_eq!(run.status().await.unwrap(), RunStatus::Working);
    let details = genkit.runs().inspect("f").await.unwrap().unwrap();
    assert_eq!(details.build.as_deref(), Some("1.0"));
    let shown = genkit.runs().command(["show", "f"]).await.unwrap();
    assert!(shown.contains("build: 1.0\n"), "{shown}");
    work_for(genkit.work().accept_builds(|build| build == Some("1.0")), 200).await;
    assert_eq!(run.status().await.unwrap(), RunStatus::Completed);
}

#[tokio::test]
async fn due_runs_are_ordered_by_priority() {
    async fn check(store: impl RunStore + Clone) {
        let genkit = process(store.clone(), &Load::default());
        for (id, priority) in [("low", 9), ("middle", 3), ("first", 0), ("second", 0)] {
            let options = DurableOptions::new().priority(priority);
            genkit.durable_flow_with(id, "quick", json!({}), options).await.unwrap();
            // A folder store orders runs of the same priority by the time of their last change.
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let due: Vec<_> =
            store.due(9).await.unwrap().into_iter().map(|id| id.to_string()).collect();
        assert_eq!(due, ["first", "second", "middle", "low"]);
    }
    let temp = Temp::new("priorities");
    check(temp.folder()).await;
    check(temp.sqlite()).await;
}
