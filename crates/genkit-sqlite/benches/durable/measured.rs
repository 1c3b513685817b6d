//! The cost of durable runs on any store.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use genkit::durable::{RunChange, RunHead, RunId, RunStore, StoredRun};
use genkit::message::ToolRequest;
use genkit::model::{self, ModelResponse};
use genkit::{BoxFuture, Genkit, Registry, Result, Role, tool, tools};
use serde_json::json;
use tokio::task::JoinSet;

/// The number of runs that are performed in parallel.
const AT_A_TIME: usize = 64;

/// The length of a tool's output, in bytes.
const SAID: usize = 500;

/// A store that counts the saves and their bytes.
struct Weighing {
    inner: Arc<dyn RunStore>,
    saves: Arc<AtomicUsize>,
    bytes: Arc<AtomicUsize>,
}

impl RunStore for Weighing {
    all_of_inner_but!(save);

    fn save<'a>(
        &'a self,
        run: &'a RunId,
        at: u64,
        change: &'a RunChange,
    ) -> BoxFuture<'a, Result<Option<u64>>> {
        let log: usize = change.log.iter().map(String::len).sum();
        self.saves.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(change.head.len() + log, Ordering::Relaxed);
        self.inner.save(run, at, change)
    }
}

/// Returns a long text.
#[tool]
async fn say() -> String {
    "x".repeat(SAID)
}

/// Asks for approval.
#[tool(needs_approval)]
async fn act() -> &'static str {
    "done"
}

/// Creates an instance whose model calls `say` a given number of times, or `act` once.
fn program(store: impl RunStore) -> Genkit {
    let model = model::from_fn("bench/talks", |request, _| {
        let done = request.messages.iter().filter(|message| message.role == Role::Tool).count();
        let asked = request.messages[0].text();
        let answer = match asked.parse::<usize>() {
            Ok(rounds) if done < rounds => {
                ModelResponse::from_tool_requests([ToolRequest::new("say", json!({}))])
            }
            Err(_) if done == 0 => {
                ModelResponse::from_tool_requests([ToolRequest::new("act", json!({})).with_id("c")])
            }
            _ => ModelResponse::from_text("enough"),
        };
        async move { answer }
    });
    let registry = Registry::new().add(tools![say, act]);
    let builder = Genkit::builder().registry(registry).default_model(model);
    builder.durable(store).build().unwrap()
}

/// Prints the cost of runs on `store`. `commit` is the time of a single commit, `suspended` the number of runs that
/// wait at once, and `size` returns the size of the store on disk.
pub(crate) async fn report(
    name: &str,
    store: Arc<dyn RunStore>,
    commit: Duration,
    suspended: usize,
    size: impl AsyncFn() -> u64,
) {
    let (saves, bytes) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
    let weighing = Weighing {
        inner: Arc::clone(&store),
        saves: Arc::clone(&saves),
        bytes: Arc::clone(&bytes),
    };
    let genkit = program(weighing);
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    println!("{name}: a single commit takes {:.2} ms", millis(commit));
    for rounds in [10_usize, 100, 400] {
        saves.store(0, Ordering::Relaxed);
        bytes.store(0, Ordering::Relaxed);
        let began = Instant::now();
        let ask = genkit.generate(rounds.to_string()).tools(["say"]).max_turns(rounds + 1);
        let run = genkit.durable_run(format!("long-{rounds}"), ask).await.unwrap();
        assert_eq!(run.wait().await.unwrap().text(), "enough");
        let steps = saves.load(Ordering::Relaxed);
        let each = began.elapsed() / u32::try_from(steps).unwrap();
        println!(
            "  a run of {rounds:>3} rounds: {:>6.0} steps/s, {:>5.2} ms a step = x {:.2} of the commit, {:>5} bytes a step",
            1.0 / each.as_secs_f64(),
            millis(each),
            each.as_secs_f64() / commit.as_secs_f64(),
            bytes.load(Ordering::Relaxed) / steps,
        );
    }
    let before = size().await;
    let began = Instant::now();
    all(suspended, &genkit, |genkit, id| async move {
        let ask = genkit.generate("Act!").tools(["act"]);
        let run = genkit.durable_run(id, ask).await.unwrap();
        assert!(run.wait().await.unwrap().is_interrupted());
    })
    .await;
    println!(
        "  {suspended} runs until they are suspended, {AT_A_TIME} in parallel: {:.0} runs/s; {:.1} KiB each on disk",
        suspended as f64 / began.elapsed().as_secs_f64(),
        size().await.saturating_sub(before) as f64 / 1024.0 / suspended as f64,
    );
    let began = Instant::now();
    for _ in 0..100 {
        assert!(store.due(16).await.unwrap().is_empty());
    }
    println!("  looking up due runs among them: {:.2} ms", millis(began.elapsed()) / 100.0);
    let resumed = suspended / 10;
    let began = Instant::now();
    all(resumed, &genkit, |genkit, id| async move {
        let run = genkit.find_durable_run(id).await.unwrap().unwrap();
        run.answer("c", true).await.unwrap();
        assert_eq!(run.wait().await.unwrap().text(), "enough");
    })
    .await;
    println!(
        "  {resumed} of them answered and finished: {:.0} runs/s\n",
        resumed as f64 / began.elapsed().as_secs_f64()
    );
}

/// Performs `work` this number of times, some of them in parallel.
async fn all<F: Future<Output = ()> + Send + 'static>(
    count: usize,
    genkit: &Genkit,
    work: impl Fn(Genkit, String) -> F,
) {
    let mut running = JoinSet::new();
    for number in 0..count {
        if running.len() == AT_A_TIME {
            running.join_next().await.unwrap().unwrap();
        }
        running.spawn(work(genkit.clone(), format!("asks-{number}")));
    }
    while let Some(ended) = running.join_next().await {
        ended.unwrap();
    }
}

/// Returns the mean time of a commit.
pub(crate) async fn mean(mut commit: impl AsyncFnMut()) -> Duration {
    const COMMITS: u32 = 200;
    let began = Instant::now();
    for _ in 0..COMMITS {
        commit().await;
    }
    began.elapsed() / COMMITS
}
