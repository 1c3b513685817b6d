//! Child runs: started once, awaited without a worker, cancelled with their parent.

use std::time::Duration;

use genkit::durable::{
    DurableContext as _, FlowOutcome, RunEntry, RunFilter, RunId, RunStatus, RunStore, RunWait,
};
use genkit::{Context, Error, ErrorKind, Genkit, Registry, Result, flow, flows, tool, tools};
use serde_json::{Value, json};

use super::super::memory::MemoryStore;
use super::super::stored::Temp;
use super::calls;

/// Waits for a signal.
#[flow]
async fn wait_for_word(ctx: &Context, of: String) -> Result<String> {
    let word: String = ctx.wait_for_signal("word").await?;
    match &*word {
        "fail" => Err(Error::new(ErrorKind::PermissionDenied, "no entry")),
        _ => Ok(format!("{of} {word}")),
    }
}

/// Collects the words of two children, and starts a third one without waiting for it.
#[flow]
async fn collect_words(ctx: &Context) -> Result<Vec<Value>> {
    let mut children = Vec::new();
    for of in ["a", "b", "c"] {
        let input = json!({"of": of});
        children.push(ctx.start_child_flow("word", "wait_for_word", input).await?);
    }
    let mut words = Vec::new();
    for child in &children[..2] {
        words.push(child.wait().await.unwrap_or_else(|error| format!("{:?}", error.kind()).into()));
    }
    Ok(words)
}

/// Looks something up with an agent that has its own run.
#[tool(timeout = "1h")]
async fn delegate(ctx: &Context) -> Result<String> {
    let child = ctx.start_child_run("agent", genkit::generate("look").tools(["look_up"])).await?;
    Ok(format!("{}: {}", child.id(), child.wait().await?.text()))
}

/// Looks something up.
#[tool]
async fn look_up() -> &'static str {
    "found"
}

/// Starts a child and waits for it.
#[flow]
async fn call_agent(ctx: &Context) -> Result<String> {
    let child = ctx.start_child_run("agent", genkit::generate("look").tools(["look_up"])).await?;
    Ok(child.wait().await?.text())
}

fn process(store: impl RunStore, tool: &'static str) -> Genkit {
    let registry = Registry::new()
        .add(flows![wait_for_word, collect_words, call_agent])
        .add(tools![delegate, look_up]);
    let genkit = Genkit::builder().registry(registry).default_model(calls(tool));
    genkit.durable(store).build().unwrap()
}

async fn children_of(genkit: &Genkit, parent: &str) -> Vec<RunEntry> {
    genkit.runs().list(RunFilter::new().tag(format!("parent:{parent}"))).await.unwrap()
}

/// Waits until all runs are suspended, and none has a lease.
async fn all_suspended(genkit: &Genkit, store: &impl RunStore, runs: usize) -> Vec<RunEntry> {
    loop {
        let listed = genkit.runs().list(RunFilter::new().status(RunStatus::Working)).await.unwrap();
        let mut free = 0;
        for run in listed.iter().filter(|run| run.wake_at_ms.is_some()) {
            let leased = store.lease(&run.id, "test", Duration::from_millis(1)).await.unwrap();
            free += usize::from(leased.is_some());
            store.release(&run.id, "test").await.unwrap();
        }
        if listed.len() == runs && free == runs {
            return listed;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn parent_waits_for_children_without_a_worker(store: impl RunStore + Clone) {
    let genkit = process(store.clone(), "look_up");
    let run = genkit.durable_flow("p", "collect_words", json!({})).await.unwrap();
    let worker = |genkit: &Genkit| tokio::spawn(genkit.work().poll(Duration::from_millis(5)).run());
    let first = worker(&genkit);
    all_suspended(&genkit, &store, 4).await;
    first.abort();
    // Another process has only the store.
    let other = process(store.clone(), "look_up");
    let second = worker(&other);
    let children = children_of(&other, "p").await;
    assert_eq!(children.len(), 3);
    let details = other.runs().inspect("p").await.unwrap().unwrap();
    let [RunWait::Child(id)] = &details.waits[..] else { panic!("{:?}", details.waits) };
    assert!(children.iter().any(|child| child.id.as_str() == id), "{id}");
    assert!(children.iter().all(|child| child.id.as_str().starts_with("p.")));
    for (child, word) in children.iter().zip(["x", "fail", "y"]) {
        assert!(other.runs().signal(child.id.as_str(), "word", word).await.unwrap());
    }
    while run.status().await.unwrap() != RunStatus::Completed {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    second.abort();
    let FlowOutcome::Returned(words) = run.wait().await.unwrap() else { panic!("it returns") };
    assert_eq!(words.as_array().unwrap().len(), 2);
    assert_eq!(children_of(&other, "p").await.len(), 3, "each child is started once");
    for child in children_of(&other, "p").await {
        assert!(genkit.runs().delete(child.id.as_str()).await.unwrap());
    }
    assert!(genkit.runs().delete("p").await.unwrap());
}

#[tokio::test]
async fn parent_waits_for_children_without_a_worker_on_every_local_store() {
    let temp = Temp::new("children");
    parent_waits_for_children_without_a_worker(temp.folder()).await;
    parent_waits_for_children_without_a_worker(temp.sqlite()).await;
}

#[tokio::test]
async fn waiting_for_a_run_also_runs_its_children() {
    let temp = Temp::new("driven");
    let genkit = process(temp.sqlite(), "look_up");
    let run = genkit.durable_flow("f", "call_agent", json!({})).await.unwrap();
    assert_eq!(run.wait().await.unwrap(), FlowOutcome::Returned(json!("done")));
    let genkit = process(temp.folder(), "delegate");
    let ask = genkit.generate("go").tools(["delegate"]);
    // The model of the child also calls `delegate`, a tool that the child does not have.
    let response = genkit.durable_run("r", ask).await.unwrap().wait().await.unwrap();
    let outputs = super::super::super::generate::outputs(&response);
    assert!(outputs[0].as_str().unwrap().starts_with("r."), "{outputs:?}");
    assert!(outputs[0].as_str().unwrap().ends_with(": done"), "{outputs:?}");
}

#[tokio::test]
async fn end_of_a_child_wakes_its_parent() {
    let temp = Temp::new("woken");
    let (store, genkit) = (temp.sqlite(), process(temp.sqlite(), "look_up"));
    genkit.durable_flow("f", "call_agent", json!({})).await.unwrap();
    let parent = RunId::new("f").unwrap();
    // The worker stops after the first step, which starts the child.
    genkit.work().concurrency(1).until(std::future::ready(())).await.unwrap();
    assert!(store.peek(&parent).await.unwrap().unwrap().wake_at_ms.is_some());
    // Only the child continues, in this process.
    let child = children_of(&genkit, "f").await.remove(0);
    let run = genkit.find_durable_run(child.id.as_str()).await.unwrap().unwrap();
    assert_eq!(run.wait().await.unwrap().text(), "done");
    let head = store.peek(&parent).await.unwrap().unwrap();
    assert_eq!((head.status, head.wake_at_ms), (RunStatus::Working, None));
}

#[tokio::test]
async fn children_are_cancelled_with_their_parent() {
    let temp = Temp::new("cancelled-children");
    let (store, genkit) = (temp.sqlite(), process(temp.sqlite(), "look_up"));
    let run = genkit.durable_flow("p", "collect_words", json!({})).await.unwrap();
    let worker = tokio::spawn(genkit.work().poll(Duration::from_millis(5)).run());
    let children = all_suspended(&genkit, &store, 4).await;
    // An operator cancels one child, and its parent receives the error.
    let first = children.iter().find(|run| run.id.as_str() != "p").unwrap();
    assert!(genkit.runs().cancel(first.id.as_str()).await.unwrap());
    run.cancel().await.unwrap();
    for child in children_of(&genkit, "p").await {
        assert_eq!(child.status, Some(RunStatus::Cancelled), "{}", child.id);
    }
    worker.abort();
}

#[tokio::test(start_paused = true)]
async fn child_of_a_cancelled_parent_does_not_start() {
    // This store cannot list its runs.
    let store = MemoryStore::default();
    let genkit = process(store.clone(), "look_up");
    let run = genkit.durable_flow("f", "call_agent", json!({})).await.unwrap();
    let wait = tokio::time::timeout(Duration::from_millis(100), run.wait()).await;
    assert!(wait.is_err(), "it waits for its child");
    run.cancel().await.unwrap();
    let due = store.due(9).await.unwrap();
    let child: &RunId = due.first().expect("the child is due");
    genkit.work().until(tokio::time::sleep(Duration::from_secs(5))).await.unwrap();
    let child = genkit.find_durable_run(child.as_str()).await.unwrap().unwrap();
    assert_eq!(child.status().await.unwrap(), RunStatus::Cancelled);
}
