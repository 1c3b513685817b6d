//! Runs whose steps end their process.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use genkit::durable::RunStatus;
use genkit::{Context, Error, Genkit, Registry, Result, tool, tools};
use tokio::time::sleep;

use super::calls;
use super::remote::Remote;

#[derive(Clone, Default)]
struct Started(Arc<AtomicUsize>);

/// Ends its process.
#[tool(timeout = "1h")]
async fn crash(started: &Started) -> &'static str {
    started.0.fetch_add(1, Ordering::SeqCst);
    std::future::pending().await
}

/// Ends its process at each of its parts.
#[tool(timeout = "1h")]
async fn crash_with_progress(started: &Started, ctx: &Context) -> Result<usize> {
    let number = started.0.fetch_add(1, Ordering::SeqCst);
    if number >= 25 {
        return Ok(number);
    }
    let part = format!("part-{}", number / 3);
    ctx.once(&part, async { Ok::<_, Error>(number) }).await?;
    std::future::pending().await
}

fn process(store: &Remote, started: &Started, tool: &'static str) -> Genkit {
    Genkit::builder()
        .registry(Registry::new().add(tools![crash, crash_with_progress]))
        .state(started.clone())
        .default_model(calls(tool))
        .durable(store.clone())
        .build()
        .unwrap()
}

/// Starts processes until the run is finished; the run ends each of them. Returns their number.
async fn lives(store: &Remote, started: &Started, tool: &'static str) -> usize {
    let first = process(store, started, tool);
    first.durable_run("r", first.generate("go").tools([tool])).await.unwrap();
    for number in 0..100 {
        let own = store.of_other_process();
        let run = process(&own, started, tool).find_durable_run("r").await.unwrap().unwrap();
        if tokio::time::timeout(Duration::from_secs(5), run.wait()).await.is_ok() {
            return number;
        }
        // `kill -9` releases nothing.
        own.go_away(true);
        drop(run);
        sleep(Duration::from_secs(31)).await;
    }
    panic!("the run does not end");
}

#[tokio::test(start_paused = true)]
async fn run_that_ends_ten_processes_fails_and_names_its_step() {
    let (store, started) = (Remote::default(), Started::default());
    assert_eq!(lives(&store, &started, "crash").await, 10);
    assert_eq!(started.0.load(Ordering::SeqCst), 10);
    let genkit = process(&store, &started, "crash");
    let run = genkit.find_durable_run("r").await.unwrap().unwrap();
    assert_eq!(run.status().await.unwrap(), RunStatus::Failed);
    let error = run.wait().await.unwrap_err();
    assert!(error.to_string().contains("10 processes ended during the tool `crash`"), "{error}");
    assert!(error.partial().is_some());
}

#[tokio::test(start_paused = true)]
async fn progress_resets_the_count_of_lives() {
    let (store, started) = (Remote::default(), Started::default());
    assert_eq!(lives(&store, &started, "crash_with_progress").await, 25);
}

#[tokio::test(start_paused = true)]
async fn orderly_ends_do_not_count() {
    let (store, started) = (Remote::default(), Started::default());
    let genkit = process(&store, &started, "crash");
    let run = genkit.durable_run("r", genkit.generate("go").tools(["crash"])).await.unwrap();
    for _ in 0..20 {
        // A caller stops waiting; its lease is released.
        assert!(tokio::time::timeout(Duration::from_secs(5), run.wait()).await.is_err());
        tokio::task::yield_now().await;
    }
    assert_eq!(run.status().await.unwrap(), RunStatus::Working);
    assert_eq!(started.0.load(Ordering::SeqCst), 20);
}
