//! Several workers on one store.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use genkit::durable::RunStatus;
use genkit::model::{self, ModelResponse};
use genkit::{Context, ErrorKind, Genkit, Registry, Result, tool, tools};
use serde_json::json;

use super::child_signals::signal_reaches_a_child_and_its_result_the_parent;
use super::memory::MemoryStore;
use super::two_workers::two_workers_settle_each_step_once;
use super::{World, ask, process, world};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_workers_settle_each_step_once_in_memory() {
    let store = MemoryStore::default();
    two_workers_settle_each_step_once(|| store.clone(), "run").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_workers_settle_each_step_once_in_a_folder() {
    let temp = super::stored::Temp::new("workers");
    two_workers_settle_each_step_once(|| temp.folder(), "run").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_workers_settle_each_step_once_in_sqlite() {
    let temp = super::stored::Temp::new("workers-sqlite");
    two_workers_settle_each_step_once(|| temp.sqlite(), "run").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn signal_reaches_a_child_and_its_result_the_parent_in_local_stores() {
    let temp = super::stored::Temp::new("child-signals");
    signal_reaches_a_child_and_its_result_the_parent(|| temp.folder(), "parent").await;
    signal_reaches_a_child_and_its_result_the_parent(|| temp.sqlite(), "parent").await;
}

#[tokio::test(start_paused = true)]
async fn worker_that_lost_its_run_settles_nothing() {
    /// Waits, the first time.
    #[tool(timeout = "1h")]
    async fn hang(hung: &Hung, ctx: &Context) -> Result<&'static str> {
        if !hung.0.swap(true, Ordering::SeqCst) {
            tokio::time::sleep(Duration::from_secs(100)).await;
            ctx.once("late", async { Ok::<_, genkit::Error>(1) }).await?;
            return Ok("too late");
        }
        Ok("in time")
    }
    #[derive(Clone, Default)]
    struct Hung(Arc<AtomicBool>);

    let (store, hung) = (MemoryStore::default(), Hung::default());
    let process = || {
        let model = super::super::generate::calls([("hang", json!({}))]);
        Genkit::builder()
            .registry(Registry::new().add(tools![hang]))
            .state(hung.clone())
            .default_model(model)
            .durable(store.clone())
            .build()
            .unwrap()
    };
    let slow = process();
    let ask = genkit::generate("go").tools(["hang"]);
    let run = slow.durable_run("r", ask).await.unwrap();
    let waiting = tokio::spawn(async move { run.wait().await });
    tokio::time::sleep(Duration::from_secs(5)).await;
    // The first worker loses its lease, as if its renewals had failed.
    store.steal("r");
    let fast = {
        // The second process calls its model only once more.
        let model = genkit::testing::ScriptedModel::text("done");
        Genkit::builder()
            .registry(Registry::new().add(tools![hang]))
            .state(hung.clone())
            .default_model(model)
            .durable(store.clone())
            .build()
            .unwrap()
    };
    let run = fast.find_durable_run("r").await.unwrap().unwrap();
    let response = run.wait().await.unwrap();
    assert_eq!(super::super::generate::outputs(&response), ["in time"]);
    // The first one waits for the same run, and gets the same response.
    assert_eq!(waiting.await.unwrap().unwrap().text(), "done");
}

#[tokio::test(start_paused = true)]
async fn dropped_wait_releases_the_run_immediately() {
    let (store, world) = (MemoryStore::default(), World::default());
    let hangs = Genkit::builder()
        .registry(Registry::new().add(tools![world::pay, world::note, world::delete]))
        .state(world.clone())
        .default_model(model::from_fn("house/clerk", |_, _| {
            std::future::pending::<ModelResponse>()
        }))
        .durable(store.clone())
        .build()
        .unwrap();
    let run = hangs.durable_run("r", ask()).await.unwrap();
    assert!(tokio::time::timeout(Duration::from_secs(1), run.wait()).await.is_err());
    tokio::task::yield_now().await; // a dropped run releases its lease
    let before = tokio::time::Instant::now();
    let run = process(store, &world).find_durable_run("r").await.unwrap().unwrap();
    assert!(run.wait().await.unwrap().is_interrupted());
    assert!(before.elapsed() < Duration::from_secs(10), "no worker waited until a lease expired");
}

#[tokio::test(start_paused = true)]
async fn worker_skips_run_whose_tool_it_lacks() {
    let (store, world) = (MemoryStore::default(), World::default());
    let run = process(store.clone(), &world).durable_run("r", ask()).await.unwrap();
    let poor = Genkit::builder().registry(Registry::new()).durable(store.clone()).build().unwrap();
    let until = tokio::time::sleep(Duration::from_secs(200));
    poor.work().until(until).await.unwrap();
    assert_eq!(run.status().await.unwrap(), RunStatus::Working);
    let lacking = poor.find_durable_run("r").await.unwrap().unwrap().wait().await.unwrap_err();
    assert_eq!(lacking.kind(), ErrorKind::FailedPrecondition);
    assert!(lacking.to_string().contains("`pay`"), "{lacking}");
    assert!(run.wait().await.unwrap().is_interrupted());
}

#[tokio::test(start_paused = true)]
async fn stopped_worker_finishes_its_current_step() {
    let (store, world) = (MemoryStore::default(), World::default());
    let genkit = process(store, &world);
    let run = genkit.durable_run("r", ask()).await.unwrap();
    genkit.work().until(std::future::ready(())).await.unwrap();
    let models = world.models();
    assert!(models <= 1, "{models}");
    assert_eq!(run.status().await.unwrap(), RunStatus::Working);
}
