//! Tests of operations on runs, and of runs that wait until a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use genkit::durable::{
    DurableOptions, FlowOutcome, RunFilter, RunId, RunStatus, RunStore, RunWait, StepKind,
};
use genkit::{Context, Error, ErrorKind, Genkit, Registry, Result, flow, flows, tool, tools};
use serde_json::json;

use super::super::stored::Temp;
use super::calls;

#[derive(Clone, Default)]
struct World(Arc<WorldState>);

#[derive(Default)]
struct WorldState {
    effects: AtomicUsize,
    /// The number of calls that fail before one succeeds.
    failures: AtomicUsize,
    started: AtomicUsize,
}

/// Acts once, and then fails for a while.
#[tool]
async fn act(world: &World, ctx: &Context) -> Result<String> {
    let effect = async {
        world.0.effects.fetch_add(1, Ordering::SeqCst);
        Ok::<_, Error>(())
    };
    ctx.once("act", effect).await?;
    let left = world.0.failures.load(Ordering::SeqCst);
    if left == 0 {
        return Ok("acted".to_owned());
    }
    world.0.failures.store(left - 1, Ordering::SeqCst);
    Err(Error::new(ErrorKind::PermissionDenied, "the account is locked"))
}

/// Acts before and after a short sleep.
#[flow]
async fn nap(world: &World, ctx: &Context, ms: u64) -> Result<usize> {
    world.0.started.fetch_add(1, Ordering::SeqCst);
    ctx.once("before", async { Ok::<_, Error>(world.0.effects.fetch_add(1, Ordering::SeqCst)) })
        .await?;
    ctx.sleep(Duration::from_millis(ms)).await?;
    ctx.once("after", async { Ok::<_, Error>(world.0.effects.fetch_add(1, Ordering::SeqCst)) })
        .await
}

/// Fails.
#[flow]
async fn doomed() -> Result<()> {
    Err(Error::new(ErrorKind::PermissionDenied, "no entry"))
}

fn process(store: impl RunStore, world: &World) -> Genkit {
    Genkit::builder()
        .registry(Registry::new().add(tools![act]).add(flows![nap, doomed]))
        .state(world.clone())
        .default_model(calls("act"))
        .durable(store)
        .build()
        .unwrap()
}

fn ask() -> genkit::Generate {
    genkit::generate("go").tools(["act"]).on_tool_error(genkit::generate::OnToolError::Abort)
}

async fn ids(genkit: &Genkit, filter: RunFilter) -> Vec<String> {
    let listed = genkit.runs().list(filter).await.unwrap();
    listed.into_iter().map(|run| run.id.to_string()).collect()
}

async fn failed_run_is_retried_from_its_step(store: impl RunStore + Clone) {
    let world = World::default();
    world.0.failures.store(2, Ordering::SeqCst);
    let genkit = process(store, &world);
    let options = DurableOptions::new().tag("vip").tag("customer-7");
    let run = genkit.durable_run_with("r", ask(), options).await.unwrap();
    assert_eq!(run.wait().await.unwrap_err().kind(), ErrorKind::PermissionDenied);
    let failed = RunFilter::new().tag("vip").status(RunStatus::Failed).error("account is locked");
    assert_eq!(ids(&genkit, failed.clone()).await, ["r"]);
    let runs = genkit.runs();
    let details = runs.inspect("r").await.unwrap().unwrap();
    assert_eq!(details.model.as_deref(), Some("house/calls"));
    assert!(details.error.unwrap().contains("locked"));
    assert!(details.bytes > 100 && details.head.status == RunStatus::Failed);
    // The run fails again, is retried again, and its effect is not repeated.
    assert!(runs.retry("r").await.unwrap());
    assert!(!runs.retry("r").await.unwrap(), "it is working");
    assert!(run.wait().await.is_err());
    assert!(run.retry().await.unwrap());
    assert_eq!(run.wait().await.unwrap().text(), "done");
    assert_eq!(world.0.effects.load(Ordering::SeqCst), 1);
    let details = runs.inspect("r").await.unwrap().unwrap();
    let kinds: Vec<_> = details.steps.iter().map(|step| step.kind).collect();
    assert_eq!(kinds, [StepKind::Model, StepKind::Tool]);
    assert_eq!(ids(&genkit, failed).await, Vec::<String>::new());
    assert_eq!(ids(&genkit, RunFilter::new().tag("customer-7").name("house/calls")).await, ["r"]);
    let shown = runs.command(["list", "--tag", "vip", "--status", "completed"]).await.unwrap();
    assert!(shown.starts_with("r\tcompleted\thouse/calls\t2") && shown.contains("vip"), "{shown}");
    let shown = runs.command(["show", "r"]).await.unwrap();
    assert!(shown.contains("steps: 2 (model, act)\n"), "{shown}");
    assert_eq!(runs.command(["delete", "r"]).await.unwrap(), "r\tdeleted\n");
    assert!(runs.inspect("r").await.unwrap().is_none());
}

#[tokio::test]
async fn failed_run_is_retried_from_its_step_on_every_local_store() {
    let temp = Temp::new("operated");
    failed_run_is_retried_from_its_step(temp.folder()).await;
    failed_run_is_retried_from_its_step(temp.sqlite()).await;
}

#[tokio::test]
async fn cancelled_run_is_continued_by_retry() {
    let (temp, world) = (Temp::new("cancelled"), World::default());
    let genkit = process(temp.folder(), &world);
    let run = genkit.durable_flow("f", "nap", json!({"ms": 3_600_000})).await.unwrap();
    assert!(genkit.runs().cancel("f").await.unwrap());
    assert_eq!(run.status().await.unwrap(), RunStatus::Cancelled);
    assert!(!genkit.runs().cancel("f").await.unwrap());
    assert!(genkit.runs().retry("f").await.unwrap());
    assert_eq!(run.status().await.unwrap(), RunStatus::Working);
}

#[tokio::test]
async fn command_line_of_a_server_has_the_commands_of_operators() {
    let (temp, world) = (Temp::new("command-line"), World::default());
    let genkit = process(temp.folder(), &world);
    let run = genkit.durable_flow("f", "nap", json!({"ms": 3_600_000})).await.unwrap();
    let line = async |args: &[&str]| {
        genkit.serve_mcp().cli().command_line(["p", "runs"].iter().chain(args)).await
    };
    line(&["cancel", "f"]).await.unwrap();
    assert_eq!(run.status().await.unwrap(), RunStatus::Cancelled);
    for args in [&["list", "--status", "cancelled"][..], &["show", "f"], &["--help"], &[]] {
        line(args).await.unwrap();
    }
    let error = line(&["explode", "f"]).await.unwrap_err();
    assert!(error.to_string().contains("runs help"), "{error}");
}

#[tokio::test]
async fn missing_tool_is_visible_to_operators() {
    let (temp, world) = (Temp::new("missing"), World::default());
    let run = process(temp.sqlite(), &world).durable_run("r", ask()).await.unwrap();
    let poor = Genkit::builder().registry(Registry::new()).durable(temp.sqlite()).build().unwrap();
    let details = poor.runs().inspect("r").await.unwrap().unwrap();
    assert!(details.missing.is_some_and(|missing| missing.contains("`act`")));
    assert_eq!(run.wait().await.unwrap().text(), "done");
    assert!(poor.runs().inspect("r").await.unwrap().unwrap().missing.is_none());
}

#[tokio::test]
async fn unreadable_run_is_listed_with_its_error() {
    let (temp, world) = (Temp::new("listed"), World::default());
    let genkit = process(temp.folder(), &world);
    for id in ["a", "b"] {
        genkit.durable_run(id, ask()).await.unwrap();
    }
    std::fs::write(temp.0.join("folder/runs/a/000000000001.run"), "garbage").unwrap();
    let listed = genkit.runs().list(RunFilter::new()).await.unwrap();
    assert_eq!(
        listed.iter().map(|run| run.status).collect::<Vec<_>>(),
        [None, Some(RunStatus::Working)]
    );
    assert!(listed[0].error.as_ref().unwrap().contains("000000000001.run"));
    assert!(genkit.runs().delete("a").await.unwrap());
}

#[tokio::test]
async fn worker_deletes_finished_runs_after_their_time() {
    let (temp, world) = (Temp::new("kept"), World::default());
    let genkit = process(temp.sqlite(), &world);
    let done = genkit.durable_run("done", ask()).await.unwrap();
    done.wait().await.unwrap();
    genkit.durable_flow("failed", "doomed", json!({})).await.unwrap().wait().await.unwrap_err();
    let open = genkit.durable_flow("open", "nap", json!({"ms": 3_600_000})).await.unwrap();
    assert_eq!(genkit.runs().delete_finished(Duration::from_secs(600)).await.unwrap(), 0);
    let worker = genkit.work().keep_finished_for(Duration::ZERO).poll(Duration::from_millis(5));
    let worker = tokio::spawn(worker.run());
    while !ids(&genkit, RunFilter::new().status(RunStatus::Completed).status(RunStatus::Failed))
        .await
        .is_empty()
    {
        tokio::task::yield_now().await;
    }
    worker.abort();
    assert_eq!(ids(&genkit, RunFilter::new()).await, ["open"]);
    assert_eq!(open.status().await.unwrap(), RunStatus::Working);
}

#[tokio::test]
async fn sleeping_flow_holds_no_lease_and_repeats_nothing() {
    let (temp, world) = (Temp::new("sleeps"), World::default());
    let (store, id) = (temp.sqlite(), RunId::new("f").unwrap());
    let genkit = process(store.clone(), &world);
    let run = genkit.durable_flow("f", "nap", json!({"ms": 300})).await.unwrap();
    let worker = tokio::spawn(genkit.work().poll(Duration::from_millis(5)).run());
    // The run is suspended until its time, without a lease.
    let wakes = loop {
        let head = store.peek(&id).await.unwrap().unwrap();
        if let Some(wakes) = head.wake_at_ms {
            break wakes;
        }
        tokio::task::yield_now().await;
    };
    worker.abort();
    assert!(worker.await.unwrap_err().is_cancelled());
    assert!(store.due(9).await.unwrap().is_empty() || wakes > 0);
    let waits = genkit.runs().inspect("f").await.unwrap().unwrap().waits;
    let [RunWait::Time(until)] = waits[..] else { panic!("{waits:?}") };
    assert!(until.abs_diff(wakes) < 60_000, "{until} {wakes}");
    // Another process has only the store.
    let other = process(temp.sqlite(), &world);
    let run_there = other.find_durable_flow("f").await.unwrap().unwrap();
    assert_eq!(run_there.wait().await.unwrap(), FlowOutcome::Returned(json!(1)));
    assert!(now_ms() >= wakes);
    assert_eq!(world.0.effects.load(Ordering::SeqCst), 2);
    assert_eq!(world.0.started.load(Ordering::SeqCst), 2);
    assert_eq!(run.status().await.unwrap(), RunStatus::Completed);
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    since.as_millis() as u64
}

#[tokio::test]
async fn run_with_a_later_start_is_not_due() {
    let (temp, world) = (Temp::new("later"), World::default());
    let (store, genkit) = (temp.folder(), process(temp.folder(), &world));
    let start = SystemTime::now() + Duration::from_secs(3600);
    let options = DurableOptions::new().start_at(start);
    genkit.durable_run_with("later", ask(), options).await.unwrap();
    assert_eq!(store.due(9).await.unwrap(), []);
    let options = DurableOptions::new().start_at(SystemTime::now());
    let run = genkit.durable_flow_with("now", "nap", json!({"ms": 0}), options).await.unwrap();
    assert_eq!(run.wait().await.unwrap(), FlowOutcome::Returned(json!(1)));
    let error =
        genkit.durable_run_with("x", ask(), DurableOptions::new().tag("a\nb")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
}
