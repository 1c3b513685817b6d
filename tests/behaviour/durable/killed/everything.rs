//! A run with everything that is durable, whose processes are killed at random changes of the store: a flow, an agent
//! inside it, child runs, a timer and a signal. For any store: `open_store` and `Temp` of the parent module open it.
//!
//! `GENKIT_KILLS` sets the number of kills for each store.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use genkit::durable::{
    DurableContext as _, FlowOutcome, RunChange, RunFilter, RunHead, RunId, RunStatus, RunStore,
    StoredRun,
};
use genkit::message::ToolRequest;
use genkit::model::{self, ModelResponse};
use genkit::{BoxFuture, Context, Error, Genkit, Registry, Result, Role, flow, flows, tool, tools};
use serde_json::json;

use super::process::{Log, die};
use super::{Temp, open_store};

/// Passes a process its store, the number of the change that kills it (0 for none), its run and its folder.
const ROLE: &str = "GENKIT_EVERYTHING";

/// The number of kills for each store, unless `GENKIT_KILLS` sets another.
const KILLS: usize = 25;

/// The model calls of an undisturbed run.
const MODEL_CALLS: usize = 4;

/// Has one effect.
async fn act(log: &Log, ctx: &Context, key: &str) -> Result<()> {
    let id = ctx.idempotency_key(key).ok_or_else(|| Error::invalid_argument("no key"))?;
    let effect = async {
        log.write(&format!("effect {id}"));
        Ok::<_, Error>(())
    };
    ctx.once(key, effect).await?;
    log.write(&format!("returned {id}"));
    Ok(())
}

/// Pays.
#[tool]
async fn pay(log: &Log, ctx: &Context) -> Result<&'static str> {
    act(log, ctx, "pay").await?;
    Ok("paid")
}

/// Acts twice.
#[flow]
async fn child(log: &Log, ctx: &Context) -> Result<&'static str> {
    act(log, ctx, "one").await?;
    ctx.sleep(Duration::from_millis(5)).await?;
    act(log, ctx, "two").await?;
    Ok("child")
}

/// Does everything that is durable.
#[flow]
async fn everything(log: &Log, ctx: &Context) -> Result<String> {
    act(log, ctx, "first").await?;
    let flow = ctx.start_child_flow("flow", "child", json!({})).await?;
    let agent = ctx.start_child_run("agent", genkit::generate("Pay.").tools(["pay"])).await?;
    let inside = genkit::generate("Pay inside.").tools(["pay"]).await?.text();
    ctx.sleep(Duration::from_millis(10)).await?;
    let number: u32 = ctx.wait_for_signal("number").await?;
    ctx.publish_status("signalled").await?;
    act(log, ctx, "second").await?;
    let (flow, agent) = (flow.wait().await?, agent.wait().await?.text());
    Ok(format!("{} {agent} {inside} {number}", flow.as_str().unwrap_or_default()))
}

fn program(store: impl RunStore, log: &Log) -> Genkit {
    let models = log.clone();
    let model = model::from_fn("house/clerk", move |request, _| {
        models.write("model");
        let is_done = request.messages.iter().any(|message| message.role == Role::Tool);
        async move {
            match is_done {
                true => ModelResponse::from_text("done"),
                false => ModelResponse::from_tool_requests([ToolRequest::new("pay", json!({}))]),
            }
        }
    });
    let registry = Registry::new().add(tools![pay]).add(flows![everything, child]);
    let genkit = Genkit::builder().registry(registry).state(log.clone());
    genkit.default_model(model).durable(store).build().unwrap()
}

/// A store whose process dies before or after a change.
#[derive(Clone)]
struct Deadly {
    inner: Arc<dyn RunStore>,
    left: Arc<AtomicUsize>,
}

impl Deadly {
    fn new(inner: Arc<dyn RunStore>, dies_at: usize) -> Self {
        Self { inner, left: Arc::new(AtomicUsize::new(dies_at)) }
    }

    /// Dies before the change if the number is even, and after it otherwise.
    async fn change<T>(&self, change: BoxFuture<'_, Result<T>>) -> Result<T> {
        let left = self.left.load(Ordering::SeqCst);
        let dies = left > 0 && self.left.fetch_sub(1, Ordering::SeqCst) == 2;
        if dies && std::process::id().is_multiple_of(2) {
            die();
        }
        let changed = change.await;
        if dies {
            die();
        }
        changed
    }
}

impl RunStore for Deadly {
    all_of_inner_but!(create, save, lease);

    fn create<'a>(&'a self, run: &'a RunId, first: &'a RunChange) -> BoxFuture<'a, Result<bool>> {
        Box::pin(self.change(self.inner.create(run, first)))
    }

    fn save<'a>(
        &'a self,
        run: &'a RunId,
        at: u64,
        change: &'a RunChange,
    ) -> BoxFuture<'a, Result<Option<u64>>> {
        Box::pin(self.change(self.inner.save(run, at, change)))
    }

    fn lease<'a>(
        &'a self,
        run: &'a RunId,
        owner: &'a str,
        _: Duration,
    ) -> BoxFuture<'a, Result<Option<RunHead>>> {
        // The next process does not have to wait for the lease of the dead one.
        self.inner.lease(run, owner, Duration::from_millis(1))
    }
}

/// The process of the test below. Without a role, it does nothing.
#[tokio::test]
async fn process_that_does_everything() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let [store, dies_at, run, folder] = role.splitn(4, ' ').collect::<Vec<_>>()[..] else {
        panic!("{role}")
    };
    let folder = PathBuf::from(folder);
    let store = Deadly::new(open_store(store, &folder).await, dies_at.parse().unwrap());
    let genkit = program(store, &Log(folder.join("log")));
    let run = genkit.find_durable_flow(run).await.unwrap().unwrap();
    let end = async move {
        while !run.status().await.unwrap().is_over() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    genkit.work().poll(Duration::from_millis(1)).until(end).await.unwrap();
}

/// Runs a process. Returns whether it was killed.
fn is_killed(role: String) -> bool {
    use std::os::unix::process::ExitStatusExt as _;
    let (_, module) = module_path!().split_once("::").unwrap();
    let ended = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("{module}::process_that_does_everything")])
        .env(ROLE, role)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&ended.stdout);
    let is_killed = ended.status.signal() == Some(9);
    assert!(is_killed || (ended.status.success() && text.contains("1 passed")), "{text}");
    is_killed
}

/// Checks that no effect happened after its `once` had returned, and that all happened.
fn check_effects(text: &str, kills: usize) {
    let mut returned = BTreeSet::new();
    for line in text.lines() {
        match line.split_once(' ') {
            Some(("returned", key)) => drop(returned.insert(key)),
            Some(("effect", key)) => assert!(!returned.contains(key), "{key} again: {text}"),
            _ => {}
        }
    }
    assert_eq!(returned.len(), 6, "{text}");
    // A kill may interrupt the model calls of two agents.
    let models = text.lines().filter(|line| *line == "model").count();
    assert!((MODEL_CALLS..=MODEL_CALLS + 2 * kills).contains(&models), "{models}: {text}");
}

/// Kills the processes of runs until there were enough kills. `store` is passed to `open_store`.
pub(super) async fn survives_kills(store: &str) {
    let wanted = std::env::var("GENKIT_KILLS").ok().and_then(|kills| kills.parse().ok());
    let (wanted, mut all, mut random) = (wanted.unwrap_or(KILLS), 0, 88_172_645_463_325_252_u64);
    for trial in 0.. {
        let id = format!("{}-{trial}", store.split(':').next().unwrap());
        let temp = Temp::new(&format!("everything-{id}"));
        let folder: &Path = temp.as_ref();
        let log = Log(folder.join("log"));
        let genkit = program(Deadly::new(open_store(store, folder).await, 0), &log);
        let children = RunFilter::new().tag(format!("parent:{id}"));
        for run in genkit.runs().list(children.clone()).await.unwrap() {
            genkit.runs().delete(run.id.as_str()).await.unwrap(); // of an earlier test on the same server
        }
        genkit.runs().delete(&*id).await.unwrap();
        let run = genkit.durable_flow(&*id, "everything", json!({})).await.unwrap();
        run.signal("number", 7).await.unwrap();
        let mut kills = 0;
        loop {
            // A xorshift generator, so that a failure can be repeated.
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let dies_at = if all + kills < wanted { 5 + (random % 15) as usize } else { 0 };
            if !is_killed(format!("{store} {dies_at} {id} {}", folder.display())) {
                break;
            }
            kills += 1;
        }
        let outcome = run.wait().await.unwrap();
        assert_eq!(outcome, FlowOutcome::Returned(json!("child done done 7")), "{trial}");
        let published: Option<String> = run.published_status().await.unwrap();
        assert_eq!(published.as_deref(), Some("signalled"));
        let children = genkit.runs().list(children).await.unwrap();
        let statuses: Vec<_> = children.iter().map(|child| child.status).collect();
        assert_eq!(statuses, [Some(RunStatus::Completed); 2], "{trial}");
        check_effects(&std::fs::read_to_string(&log.0).unwrap(), kills);
        all += kills;
        if all >= wanted {
            break;
        }
    }
}
