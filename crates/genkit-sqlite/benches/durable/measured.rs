//! The cost of durable runs on any store.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use genkit::durable::{RunChange, RunFilter, RunHead, RunId, RunStatus, RunStore, StoredRun};
use genkit::message::ToolRequest;
use genkit::model::{self, ModelResponse};
use genkit::{BoxFuture, Genkit, Registry, Result, Role, tool, tools};
use serde_json::json;
use tokio::task::JoinSet;

/// The number of runs that are performed in parallel.
const AT_A_TIME: usize = 64;

/// The number of runs that ask a question.
const ASKED: usize = 500;

/// The length of a tool's output, in bytes.
const SAID: usize = 500;

/// The number of steps at the start and at the end of a run that are compared.
const ENDS: usize = 30;

/// A store that records when runs are saved, and counts their bytes.
#[derive(Clone)]
struct Weighing {
    inner: Arc<dyn RunStore>,
    saves: Arc<Mutex<Vec<Instant>>>,
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
        self.bytes.fetch_add(change.head.len() + log, Ordering::Relaxed);
        Box::pin(async move {
            let saved = self.inner.save(run, at, change).await;
            self.saves.lock().unwrap().push(Instant::now());
            saved
        })
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

/// Prints the cost of runs on `store`. `commit` is the time of a single commit, `suspended` the numbers of runs that
/// are suspended at the same time, and `size` returns the size of the store on disk.
pub(crate) async fn report(
    name: &str,
    store: Arc<dyn RunStore>,
    commit: Duration,
    suspended: &[usize],
    size: impl AsyncFn() -> u64,
) {
    let (saves, bytes) = (Arc::default(), Arc::default());
    let weighing = Weighing { inner: Arc::clone(&store), saves, bytes };
    let genkit = program(weighing.clone());
    println!("{name}: a single commit takes {:.2} ms", millis(commit));
    for rounds in [10, 100, 300] {
        report_steps(&genkit, &weighing, commit, rounds).await;
    }
    report_questions(&genkit, &size).await;
    let template =
        store.load(&RunId::new(format!("asks-{}", ASKED - 1)).unwrap()).await.unwrap().unwrap();
    let mut stored = 0;
    for &count in suspended {
        let before = (size().await, memory());
        store_copies(&store, &template, stored..count).await;
        let bytes = size().await.saturating_sub(before.0) as f64 / (count - stored) as f64;
        stored = count;
        println!(
            "  {count} suspended runs, half of them with a timer; {:.1} KiB each on disk",
            bytes / 1024.0
        );
        let list = async |filter: RunFilter| genkit.runs().list(filter).await.unwrap().len();
        // The first queries of a worker also process the changes of the rest of the benchmark, so do not measure them.
        let look = async || assert!(store.due(16).await.unwrap().is_empty());
        look().await;
        tokio::time::sleep(Duration::from_secs(3)).await;
        look().await;
        println!("    a query for due runs: {:.2} ms", repeated(look).await);
        let first = repeated(async || assert_eq!(list(RunFilter::new()).await, 100)).await;
        let tag =
            repeated(async || assert_eq!(list(RunFilter::new().tag("copy-7")).await, 1)).await;
        let failed = RunFilter::new().status(RunStatus::Failed);
        let failed = repeated(async || assert_eq!(list(failed.clone()).await, 0)).await;
        println!(
            "    lists: the first page {first:.2} ms, one run by tag {tag:.2} ms, no failed run {failed:.2} ms"
        );
        println!("    memory of this process: {:+.1} MiB", memory() - before.1);
    }
    println!();
}

/// Prints the cost of the steps of a run with this number of rounds.
async fn report_steps(genkit: &Genkit, weighing: &Weighing, commit: Duration, rounds: usize) {
    weighing.saves.lock().unwrap().clear();
    weighing.bytes.store(0, Ordering::Relaxed);
    let began = Instant::now();
    let ask = genkit.generate(rounds.to_string()).tools(["say"]).max_turns(rounds + 1);
    let run = genkit.durable_run(format!("long-{rounds}"), ask).await.unwrap();
    assert_eq!(run.wait().await.unwrap().text(), "enough");
    let saves = std::mem::take(&mut *weighing.saves.lock().unwrap());
    let each = began.elapsed() / u32::try_from(saves.len()).unwrap();
    println!(
        "  a run of {rounds:>3} rounds: {:>6.0} steps/s, {:>5.2} ms a step = x {:.2} of the commit, {:>5} bytes a step",
        1.0 / each.as_secs_f64(),
        millis(each),
        each.as_secs_f64() / commit.as_secs_f64(),
        weighing.bytes.load(Ordering::Relaxed) / saves.len(),
    );
    if rounds > ENDS {
        let mean = |from: usize| millis(saves[from + ENDS] - saves[from]) / ENDS as f64;
        let (first, last) = (mean(0), mean(saves.len() - ENDS - 1));
        println!(
            "    its first {ENDS} steps: {first:.2} ms each; its last {ENDS}: {last:.2} ms = x {:.2}",
            last / first
        );
    }
}

/// Prints the cost of runs that ask a question, and of the answers.
async fn report_questions(genkit: &Genkit, size: &impl AsyncFn() -> u64) {
    let (before, began) = (size().await, Instant::now());
    all(ASKED, |id| {
        let genkit = genkit.clone();
        async move {
            let ask = genkit.generate("Act!").tools(["act"]);
            let run = genkit.durable_run(id, ask).await.unwrap();
            assert!(run.wait().await.unwrap().is_interrupted());
        }
    })
    .await;
    println!(
        "  {ASKED} runs until they are suspended, {AT_A_TIME} in parallel: {:.0} runs/s; {:.1} KiB each on disk",
        ASKED as f64 / began.elapsed().as_secs_f64(),
        size().await.saturating_sub(before) as f64 / 1024.0 / ASKED as f64,
    );
    let resumed = ASKED / 2;
    let began = Instant::now();
    all(resumed, |id| {
        let genkit = genkit.clone();
        async move {
            let run = genkit.find_durable_run(id).await.unwrap().unwrap();
            run.answer("c", true).await.unwrap();
            assert_eq!(run.wait().await.unwrap().text(), "enough");
        }
    })
    .await;
    println!(
        "  {resumed} of them answered and finished: {:.0} runs/s",
        resumed as f64 / began.elapsed().as_secs_f64()
    );
}

/// Stores copies of a suspended run. Every second copy waits for a time instead of an answer.
async fn store_copies(store: &Arc<dyn RunStore>, run: &StoredRun, numbers: std::ops::Range<usize>) {
    let tomorrow = std::time::SystemTime::now() + Duration::from_secs(24 * 3600);
    let tomorrow = tomorrow.duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    let mut running = JoinSet::new();
    for number in numbers {
        if running.len() == AT_A_TIME {
            running.join_next().await.unwrap().unwrap();
        }
        let sleeps = number % 2 == 0;
        let status = if sleeps { RunStatus::Working } else { RunStatus::InputRequired };
        let wake = sleeps.then(|| u64::try_from(tomorrow).unwrap());
        let change = RunChange::new(status, &*run.head).with_log(&run.log).with_wake_at_ms(wake);
        let change = change.with_name("copy").with_tags([format!("copy-{number}")]);
        let store = Arc::clone(store);
        running.spawn(async move {
            let id = RunId::new(format!("copy-{number:06}")).unwrap();
            assert!(store.create(&id, &change).await.unwrap());
        });
    }
    while let Some(ended) = running.join_next().await {
        ended.unwrap();
    }
}

/// Returns the mean time of `work` in milliseconds.
async fn repeated(work: impl AsyncFn()) -> f64 {
    const TIMES: u32 = 20;
    let began = Instant::now();
    for _ in 0..TIMES {
        work().await;
    }
    millis(began.elapsed() / TIMES)
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Returns the resident memory of this process in MiB. 0 on systems other than Linux.
fn memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<f64>().ok());
    kib.unwrap_or_default() / 1024.0
}

/// Performs `work` this number of times, some of them in parallel.
async fn all<F: Future<Output = ()> + Send + 'static>(count: usize, work: impl Fn(String) -> F) {
    let mut running = JoinSet::new();
    for number in 0..count {
        if running.len() == AT_A_TIME {
            running.join_next().await.unwrap().unwrap();
        }
        running.spawn(work(format!("asks-{number}")));
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
