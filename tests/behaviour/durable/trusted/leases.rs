//! Leases that expire, stores that are unavailable, and runs that are replaced.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use genkit::durable::{FolderStore, RunStatus, RunStore};
use genkit::model::ModelResponse;
use genkit::testing::ScriptedModel;
use genkit::{Context, Error, ErrorKind, Genkit, Registry, Result, tool, tools};
use tokio::time::{Instant, sleep};

use super::super::memory::MemoryStore;
use super::calls;
use super::remote::Remote;

/// The times of events, by the name of the process.
#[derive(Clone)]
struct Log {
    process: &'static str,
    seen: Arc<Mutex<Vec<(&'static str, Instant)>>>,
}

impl Log {
    fn new(process: &'static str) -> Self {
        Self { process, seen: Arc::default() }
    }

    fn of_other_process(&self, process: &'static str) -> Self {
        Self { process, seen: Arc::clone(&self.seen) }
    }

    fn note(&self) {
        self.seen.lock().unwrap().push((self.process, Instant::now()));
    }

    fn times(&self, process: &str) -> Vec<Instant> {
        let seen = self.seen.lock().unwrap();
        seen.iter().filter(|(by, _)| *by == process).map(|(_, at)| *at).collect()
    }
}

/// Acts each second for 100 seconds.
#[tool(timeout = "1h")]
async fn tick(log: &Log) -> &'static str {
    for _ in 0..100 {
        log.note();
        sleep(Duration::from_secs(1)).await;
    }
    "ticked"
}

/// Acts once, after a while.
#[tool(timeout = "1h")]
async fn act(log: &Log, ctx: &Context) -> Result<String> {
    sleep(Duration::from_secs(5)).await;
    let effect = async {
        log.note();
        Ok::<_, Error>("acted".to_owned())
    };
    ctx.once("act", effect).await
}

/// Acts in a separate task, after the lease of a process that lost its store.
#[tool(timeout = "1h")]
async fn act_later(log: &Log, ctx: &Context) -> Result<String> {
    let (log, ctx) = (log.clone(), ctx.clone());
    tokio::spawn(async move {
        sleep(Duration::from_secs(28)).await;
        let effect = async {
            log.note();
            Ok::<_, Error>(())
        };
        let _ = ctx.once("late", effect).await;
    });
    std::future::pending().await
}

fn process(store: impl RunStore, log: &Log, tool: &'static str) -> Genkit {
    Genkit::builder()
        .registry(Registry::new().add(tools![tick, act, act_later]))
        .state(log.clone())
        .default_model(calls(tool))
        .durable(store)
        .build()
        .unwrap()
}

#[tokio::test(start_paused = true)]
async fn store_that_is_away_for_half_a_minute_repeats_no_effect() {
    let (store, log) = (Remote::default(), Log::new("a"));
    let genkit = process(store.clone(), &log, "act");
    let ask = genkit.generate("go").tools(["act"]);
    let run = genkit.durable_run("r", ask).await.unwrap();
    let waiting = tokio::spawn(async move { run.wait().await });
    sleep(Duration::from_secs(4)).await;
    store.go_away(true);
    sleep(Duration::from_secs(30)).await;
    assert_eq!(log.times("a").len(), 1);
    store.go_away(false);
    waiting.await.unwrap().unwrap();
    assert_eq!(log.times("a").len(), 1, "its result was saved when the store was back");
    // The waits between the attempts grow to a second.
    let failed = store.failed.load(Ordering::SeqCst);
    assert!((20..40).contains(&failed), "{failed}");
}

#[tokio::test(start_paused = true)]
async fn worker_that_cannot_renew_stops_before_its_lease_ends() {
    let (store, log) = (Remote::default(), Log::new("a"));
    let genkit = process(store.clone(), &log, "tick");
    let ask = genkit.generate("go").tools(["tick"]);
    let run = genkit.durable_run("r", ask).await.unwrap();
    let waiting = tokio::spawn(async move { run.wait().await });
    sleep(Duration::from_secs(15)).await;
    store.go_away(true);
    let log_b = log.of_other_process("b");
    let other = process(store.of_other_process(), &log_b, "tick");
    let run = other.find_durable_run("r").await.unwrap().unwrap();
    run.wait().await.unwrap();
    let (last, first) = (*log.times("a").last().unwrap(), log.times("b")[0]);
    assert!(last < first, "both act at the same time");
    assert_eq!(log.times("b").len(), 100);
    // The first process reports that its store is unavailable, and does not act again.
    assert_eq!(waiting.await.unwrap().unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(*log.times("a").last().unwrap(), last);
}

#[tokio::test(start_paused = true)]
async fn once_does_not_start_under_a_lease_that_is_over() {
    let (store, log) = (Remote::default(), Log::new("a"));
    let genkit = process(store.clone(), &log, "act_later");
    let ask = genkit.generate("go").tools(["act_later"]);
    let run = genkit.durable_run("r", ask).await.unwrap();
    let waiting = tokio::spawn(async move { run.wait().await });
    sleep(Duration::from_secs(1)).await;
    store.go_away(true);
    assert_eq!(waiting.await.unwrap().unwrap_err().kind(), ErrorKind::Unavailable);
    sleep(Duration::from_secs(100)).await;
    assert_eq!(log.times("a"), []);
}

#[tokio::test(start_paused = true)]
async fn resumed_process_checks_its_lease_before_acting() {
    let (store, log) = (MemoryStore::default(), Log::new("a"));
    let genkit = process(store.clone(), &log, "act");
    let ask = genkit.generate("go").tools(["act"]);
    let run = genkit.durable_run("r", ask).await.unwrap();
    let waiting = tokio::spawn(async move { run.wait().await });
    sleep(Duration::from_secs(3)).await;
    // Another process takes the run while this one is stopped.
    store.steal("r");
    let id = genkit::durable::RunId::new("r").unwrap();
    store.lease(&id, "other", Duration::from_secs(600)).await.unwrap().unwrap();
    tokio::time::advance(Duration::from_secs(34)).await;
    sleep(Duration::from_secs(10)).await;
    assert_eq!(log.times("a"), []);
    waiting.abort();
}

#[tokio::test(start_paused = true)]
async fn lease_can_be_shorter() {
    let (store, log) = (Remote::default(), Log::new("a"));
    let build = |store: Remote, log: &Log| {
        Genkit::builder()
            .registry(Registry::new().add(tools![tick]))
            .state(log.clone())
            .default_model(calls("tick"))
            .durable(store)
            .durable_lease(Duration::from_secs(5))
            .build()
            .unwrap()
    };
    let genkit = build(store.clone(), &log);
    let ask = genkit.generate("go").tools(["tick"]);
    let run = genkit.durable_run("r", ask).await.unwrap();
    let waiting = tokio::spawn(async move { run.wait().await });
    sleep(Duration::from_secs(12)).await;
    store.go_away(true);
    waiting.abort();
    let killed = Instant::now();
    let log_b = log.of_other_process("b");
    let other = build(store.of_other_process(), &log_b);
    other.find_durable_run("r").await.unwrap().unwrap().wait().await.unwrap();
    assert!(log.times("b")[0] - killed < Duration::from_secs(6));
}

#[tokio::test(start_paused = true)]
async fn run_that_replaces_another_receives_nothing_of_it() {
    let (store, log) = (MemoryStore::default(), Log::new("a"));
    let genkit = process(store.clone(), &log, "act");
    let ask = genkit.generate("go").tools(["act"]);
    let old = genkit.durable_run("r", ask).await.unwrap();
    let waiter = old.clone();
    let waiting = tokio::spawn(async move { waiter.wait().await });
    sleep(Duration::from_secs(3)).await;
    assert!(old.delete().await.unwrap());
    let other = ScriptedModel::new([ModelResponse::from_text("of the new run")]);
    let other = Genkit::builder()
        .registry(Registry::new())
        .default_model(other)
        .durable(store)
        .build()
        .unwrap();
    let new = other.durable_run("r", other.generate("something else")).await.unwrap();
    let error = waiting.await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
    assert_eq!(new.wait().await.unwrap().text(), "of the new run");
    assert_eq!(old.status().await.unwrap_err().kind(), ErrorKind::NotFound);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unreadable_run_in_a_folder_blocks_no_other() {
    let temp = super::super::stored::Temp::new("unreadable");
    let store: FolderStore = temp.folder();
    let log = Log::new("a");
    let genkit = Genkit::builder()
        .registry(Registry::new())
        .default_model(genkit::model::from_fn("house/one", |_, _| async {
            ModelResponse::from_text("done")
        }))
        .state(log)
        .durable(store)
        .build()
        .unwrap();
    let mut runs = Vec::new();
    for name in ["a", "b", "c", "d", "e"] {
        runs.push(genkit.durable_run(name, genkit.generate("go")).await.unwrap());
    }
    let file = |run: &str| temp.0.join("folder/runs").join(run).join("000000000001.run");
    std::fs::write(file("b"), b"\xff\xfe garbage").unwrap();
    let text = std::fs::read_to_string(file("c")).unwrap();
    std::fs::write(file("c"), text.replacen("\"version\":1", "\"version\":2", 1)).unwrap();
    std::fs::write(file("d"), &text[..text.len() / 2]).unwrap();
    let worker = tokio::spawn(genkit.work().poll(Duration::from_millis(10)).run());
    for name in [0, 4] {
        while runs[name].status().await.unwrap() != RunStatus::Completed {
            tokio::task::yield_now().await;
        }
    }
    worker.abort();
    for name in [1, 2, 3] {
        let error = runs[name].status().await.unwrap_err();
        assert!(error.chain().contains("000000000001.run"), "{}", error.chain());
    }
}
