//! A process that kills itself before or after each save, and others that continue; for any store.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use genkit::durable::{RunChange, RunHead, RunId, RunStore, StoredRun};
use genkit::message::ToolRequest;
use genkit::model::{self, ModelResponse};
use genkit::{BoxFuture, Context, Error, Genkit, Registry, Result, Role, tool, tools};
use serde_json::json;

/// Tells the process its role: `folder` or `sqlite`, `before` or `after`, the number of the save (0 if it survives), and
/// the folder.
pub(crate) const ROLE: &str = "GENKIT_KILLED_AT";

/// A store whose process dies at a save.
struct Deadly {
    inner: Arc<dyn RunStore>,
    saves: AtomicUsize,
    dies_at: usize,
    dies_after: bool,
}

/// Dies as with `kill -9`: nothing is flushed or dropped.
pub(crate) fn die() -> ! {
    let this = std::process::id().to_string();
    Command::new("kill").args(["-9", &this]).status().unwrap();
    loop {
        std::thread::park();
    }
}

impl RunStore for Deadly {
    all_of_inner_but!(save, lease);

    fn save<'a>(
        &'a self,
        run: &'a RunId,
        at: u64,
        change: &'a RunChange,
    ) -> BoxFuture<'a, Result<Option<u64>>> {
        let number = self.saves.fetch_add(1, Ordering::SeqCst) + 1;
        Box::pin(async move {
            if number == self.dies_at && !self.dies_after {
                die();
            }
            let saved = self.inner.save(run, at, change).await;
            if number == self.dies_at {
                die();
            }
            saved
        })
    }

    fn lease<'a>(
        &'a self,
        run: &'a RunId,
        owner: &'a str,
        _: Duration,
    ) -> BoxFuture<'a, Result<Option<RunHead>>> {
        // The next process does not have to wait for the dead one's lease to expire.
        self.inner.lease(run, owner, Duration::from_millis(1))
    }
}

/// A record of what happened, as lines of a file that survives a crash.
#[derive(Clone)]
pub(crate) struct Log(pub(crate) PathBuf);

impl Log {
    pub(crate) fn write(&self, line: &str) {
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&self.0).unwrap();
        file.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    pub(crate) fn count(&self, line: &str) -> usize {
        let text = std::fs::read_to_string(&self.0).unwrap_or_default();
        text.lines().filter(|other| *other == line).count()
    }
}

/// Pays.
#[tool]
async fn pay(log: &Log, ctx: &Context) -> Result<String> {
    log.write("pay begins");
    let key = ctx.idempotency_key("charge").unwrap();
    let charge = async {
        log.write(&format!("charge {key}"));
        Ok::<_, Error>("paid".to_owned())
    };
    ctx.once("charge", charge).await
}

/// Tells.
#[tool(needs_approval)]
async fn tell(log: &Log) -> &'static str {
    log.write("tell begins");
    "told"
}

fn process(store: Deadly, log: &Log) -> Genkit {
    let models = log.clone();
    let model = model::from_fn("house/clerk", move |request, _| {
        models.write("model");
        let rounds = request.messages.iter().filter(|message| message.role == Role::Tool).count();
        let call = |id: &str, name: &str| ToolRequest::new(name, json!({})).with_id(id);
        let answer = match rounds {
            0 => ModelResponse::from_tool_requests([call("c1", "pay"), call("c2", "tell")]),
            _ => ModelResponse::from_text("all done"),
        };
        async move { answer }
    });
    Genkit::builder()
        .registry(Registry::new().add(tools![pay, tell]))
        .state(log.clone())
        .default_model(model)
        .durable(store)
        // A save is retried for twice the duration of a lease.
        .durable_lease(Duration::from_secs(1))
        .build()
        .unwrap()
}

/// The instructions of a process that is going to die.
pub(crate) struct Mortal {
    /// The kind of its store.
    pub(crate) kind: String,
    dies_after: bool,
    dies_at: usize,
    /// The folder where it records what happened.
    pub(crate) folder: PathBuf,
}

impl Mortal {
    /// Returns the instructions of this process, if it was started to die.
    pub(crate) fn of_this() -> Option<Self> {
        let role = std::env::var(ROLE).ok()?;
        let parts: Vec<&str> = role.splitn(4, ' ').collect();
        let [kind, when, at, folder] = parts[..] else { panic!("{role}") };
        let (kind, dies_after) = (kind.to_owned(), when == "after");
        Some(Self { kind, dies_after, dies_at: at.parse().unwrap(), folder: folder.into() })
    }

    pub(crate) async fn play(&self, store: Arc<dyn RunStore>) {
        run(store, self.dies_at, self.dies_after, &Log(self.folder.join("log"))).await;
    }
}

/// Runs to the end without being killed, and checks the result.
pub(crate) async fn run_alive(store: Arc<dyn RunStore>, folder: &Path) {
    let log = Log(folder.join("log"));
    run(store, 0, false, &log).await;
    assert_eq!((log.count("model"), log.count("pay begins"), log.count("done")), (2, 1, 1));
}

async fn run(inner: Arc<dyn RunStore>, dies_at: usize, dies_after: bool, log: &Log) {
    let store = Deadly { inner, saves: AtomicUsize::new(0), dies_at, dies_after };
    let genkit = process(store, log);
    let ask = genkit::generate("Pay and tell.").tools(["pay", "tell"]);
    let run = genkit.durable_run("order-1", ask).await.unwrap();
    let mut response = run.wait().await.unwrap();
    if response.is_interrupted() {
        run.answer("c2", true).await.unwrap();
        response = run.wait().await.unwrap();
    }
    assert_eq!(response.text(), "all done");
    log.write("done");
}

/// Returns whether the process ended normally, rather than by `kill`.
fn survives(mut child: Command, [kind, when]: [&str; 2], at: usize, folder: &Path) -> bool {
    use std::os::unix::process::ExitStatusExt as _;
    let child = child
        .env(ROLE, format!("{kind} {when} {at} {}", folder.display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    if child.status.signal() == Some(9) {
        return false;
    }
    let text = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && text.contains("1 passed"), "{kind} {when} {at}: {text}");
    true
}

/// Kills a process at its first save, the next at its second, and so on, before and after the save. Another process
/// continues each time, and the effects are checked. `test` is the child's test, and `fresh` returns an empty folder
/// and store for each trial.
pub(crate) fn dies_at_each_save<'a, F: AsRef<Path>>(
    test: &str,
    kind: &str,
    variables: impl IntoIterator<Item = (&'a str, &'a str)>,
    mut fresh: impl FnMut(&str) -> F,
) {
    let variables: Vec<_> = variables.into_iter().collect();
    let child = || {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", test, "--test-threads=1"]).envs(variables.iter().copied());
        child
    };
    for when in ["before", "after"] {
        let mut saves = 0;
        for at in 1.. {
            let folder = fresh(&format!("killed-{kind}-{when}-{at}"));
            let folder = folder.as_ref();
            let log = Log(folder.join("log"));
            let survived = survives(child(), [kind, when], at, folder);
            if !survived {
                saves += 1;
                assert!(survives(child(), [kind, when], 0, folder), "another process continues");
            }
            let text = std::fs::read_to_string(&log.0).unwrap();
            assert_eq!(log.count("done"), 1, "{text}");
            assert!(log.count("model") <= 2 + usize::from(!survived), "{text}");
            // Work between two saves may be repeated, with the same key.
            let charged = log.count("charge order-1/1/0/charge");
            assert_eq!(text.matches("charge ").count(), charged, "one key: {text}");
            let may_repeat = when == "before" && !survived;
            assert!((1..=1 + usize::from(may_repeat)).contains(&charged), "{when} {at}: {text}");
            let begun = log.count("pay begins");
            assert!((1..=2).contains(&begun), "{text}");
            if survived {
                break;
            }
        }
        assert_eq!(
            saves, 6,
            "{kind} {when}: model, question and `once`, call, answer, call, model"
        );
    }
}
