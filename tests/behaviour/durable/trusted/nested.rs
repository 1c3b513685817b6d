//! Work below a durable run: agents, flows and calls of tools and models inside a function.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use genkit::durable::FlowOutcome;
use genkit::message::ToolRequest;
use genkit::model::{self, FnModel, ModelResponse};
use genkit::{
    Context, Error, ErrorKind, Flow, Genkit, Registry, Result, Role, flow, flows, tool, tools,
};
use serde_json::json;

use super::super::memory::MemoryStore;

/// The effects of all processes.
#[derive(Clone, Default)]
struct Effects(Arc<EffectLog>);

#[derive(Default)]
struct EffectLog {
    models: AtomicUsize,
    keys: Mutex<Vec<String>>,
    /// The effect that does not end in the first process.
    hangs: Mutex<Option<&'static str>>,
}

impl Effects {
    fn that_hang_at(word: &'static str) -> Self {
        let effects = Self::default();
        *effects.0.hangs.lock().unwrap() = Some(word);
        effects
    }

    fn keys(&self) -> Vec<String> {
        self.0.keys.lock().unwrap().clone()
    }

    async fn act(&self, ctx: &Context, word: &str) -> Result<String> {
        let key = ctx.idempotency_key("act").ok_or_else(|| Error::invalid_argument("no key"))?;
        let effect = async {
            self.0.keys.lock().unwrap().push(key);
            let is_last = self.0.hangs.lock().unwrap().is_some_and(|last| last == word);
            if is_last {
                *self.0.hangs.lock().unwrap() = None;
                std::future::pending::<()>().await;
            }
            Ok::<_, Error>(format!("did {word}"))
        };
        ctx.once("act", effect).await
    }
}

/// Acts.
#[tool(timeout = "1h")]
async fn act(effects: &Effects, ctx: &Context, word: String) -> Result<String> {
    effects.act(ctx, &word).await
}

/// Acts, but never again.
#[tool(at_most_once, timeout = "1h")]
async fn act_once(effects: &Effects, ctx: &Context, word: String) -> Result<String> {
    effects.act(ctx, &word).await
}

/// Acts after an approval.
#[tool(needs_approval)]
async fn act_approved(effects: &Effects, ctx: &Context, word: String) -> Result<String> {
    effects.act(ctx, &word).await
}

/// Acts twice, through a model.
#[tool(timeout = "1h")]
async fn delegate(effects: &Effects, task: String) -> Result<String> {
    let run = genkit::generate(task).model(model(effects, "act")).tools(tools![act]);
    Ok(run.state(effects.clone()).await?.text())
}

/// Acts twice, through a flow and a tool.
#[flow]
async fn twice(ctx: &Context) -> Result<String> {
    let mut done = Vec::new();
    for word in ["one", "two"] {
        done.push(Flow::of::<act_flow>().run(json!({"word": word})).await?.to_string());
    }
    let asked = ctx.confirm("Go on?").await.is_ok();
    Ok(format!("{} {asked}", done.join(" ")))
}

/// Acts.
#[flow]
async fn act_flow(effects: &Effects, ctx: &Context, word: String) -> Result<String> {
    effects.act(ctx, &word).await
}

/// Returns a model that calls `tool` for "one", then for "two".
fn model(effects: &Effects, tool: &'static str) -> FnModel {
    let effects = effects.clone();
    model::from_fn("house/clerk", move |request, _| {
        effects.0.models.fetch_add(1, Ordering::SeqCst);
        let rounds = request.messages.iter().filter(|message| message.role == Role::Tool).count();
        let call = |word| ToolRequest::new(tool, json!({"word": word})).with_id(word);
        let answer = match rounds {
            0 => ModelResponse::from_tool_requests([call("one")]),
            1 => ModelResponse::from_tool_requests([call("two")]),
            _ => ModelResponse::from_text("acted"),
        };
        async move { answer }
    })
}

/// Returns a model that calls `outer` once.
fn manager(effects: &Effects, outer: &'static str) -> FnModel {
    let asks = effects.clone();
    model::from_fn("house/manager", move |request, _| {
        asks.0.models.fetch_add(1, Ordering::SeqCst);
        let is_done = request.messages.iter().any(|message| message.role == Role::Tool);
        let call = ToolRequest::new(outer, json!({"task": "look"})).with_id("outer");
        async move {
            match is_done {
                true => ModelResponse::from_text("done"),
                false => ModelResponse::from_tool_requests([call]),
            }
        }
    })
}

/// Returns a process whose outer model calls `outer` once. `inner` is the tool of the agent `research`.
fn process(
    store: &MemoryStore,
    effects: &Effects,
    outer: &'static str,
    inner: &'static str,
) -> Genkit {
    let research = genkit::generate(())
        .model(model(effects, inner))
        .tools(tools![act, act_once, act_approved])
        .state(effects.clone())
        .into_tool("research", "Looks things up.");
    let registry = Registry::new()
        .add(tools![act, act_once, act_approved, delegate])
        .add([research])
        .add(flows![twice, act_flow]);
    let genkit = Genkit::builder().registry(registry).state(effects.clone());
    genkit.default_model(manager(effects, outer)).durable(store.clone()).build().unwrap()
}

/// Runs until the effect that hangs, drops the process, and lets another one finish the run.
async fn crash_and_finish(outer: &'static str, inner: &'static str, effects: &Effects) -> Genkit {
    let store = MemoryStore::default();
    let ask = genkit::generate("go").tools([outer]);
    let run = process(&store, effects, outer, inner).durable_run("r", ask).await.unwrap();
    let crash = tokio::time::timeout(Duration::from_secs(100), run.wait()).await;
    assert!(crash.is_err(), "the first process does not end");
    tokio::task::yield_now().await; // a dropped run releases its lease
    process(&store, effects, outer, inner)
}

#[tokio::test(start_paused = true)]
async fn agent_repeats_no_saved_step_after_a_crash() {
    for (outer, inner) in [("research", "act"), ("delegate", "act")] {
        let effects = Effects::that_hang_at("two");
        let genkit = crash_and_finish(outer, inner, &effects).await;
        assert_eq!(effects.0.models.load(Ordering::SeqCst), 3);
        let run = genkit.find_durable_run("r").await.unwrap().unwrap();
        assert_eq!(run.wait().await.unwrap().text(), "done");
        assert_eq!(effects.0.models.load(Ordering::SeqCst), 5, "{outer} calls no model again");
        let keys = effects.keys();
        let [one, two, again] = &keys[..] else { panic!("{keys:?}") };
        assert_eq!(two, again, "a repeated effect has the same key");
        assert_ne!(one, two);
        assert!(one.starts_with("r/1/0/") && one.ends_with("/act"), "{one}");
    }
}

#[tokio::test(start_paused = true)]
async fn at_most_once_in_an_agent_asks_after_a_crash() {
    let effects = Effects::that_hang_at("two");
    let genkit = crash_and_finish("research", "act_once", &effects).await;
    let run = genkit.find_durable_run("r").await.unwrap().unwrap();
    assert!(run.wait().await.unwrap().is_interrupted());
    assert_eq!(effects.keys().len(), 2, "it is not run again automatically");
    run.answer("outer", json!(true)).await.unwrap();
    assert_eq!(run.wait().await.unwrap().text(), "done");
    assert_eq!(effects.keys().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn approvals_in_an_agent_are_those_of_the_run() {
    let (store, effects) = (MemoryStore::default(), Effects::default());
    let open = || process(&store, &effects, "research", "act_approved");
    let ask = genkit::generate("go").tools(["research"]);
    let run = open().durable_run("r", ask).await.unwrap();
    for answered in 0..2 {
        assert!(run.wait().await.unwrap().is_interrupted());
        assert_eq!(effects.keys().len(), answered);
        // Another process answers and continues.
        let run = open().find_durable_run("r").await.unwrap().unwrap();
        run.answer("outer", json!(true)).await.unwrap();
        run.wait().await.unwrap();
    }
    assert_eq!(run.wait().await.unwrap().text(), "done");
    assert_eq!(effects.keys().len(), 2);
    assert_eq!(effects.0.models.load(Ordering::SeqCst), 5);
}

#[tokio::test(start_paused = true)]
async fn nested_flows_have_their_own_keys_and_share_the_run() {
    let (store, effects) = (MemoryStore::default(), Effects::that_hang_at("two"));
    let open = || process(&store, &effects, "research", "act");
    let run = open().durable_flow("f", "twice", json!({})).await.unwrap();
    let crash = tokio::time::timeout(Duration::from_secs(100), run.wait()).await;
    assert!(crash.is_err());
    tokio::task::yield_now().await;
    let run = open().find_durable_flow("f").await.unwrap().unwrap();
    let FlowOutcome::Interrupted(open) = run.wait().await.unwrap() else { panic!("it asks") };
    let keys = effects.keys();
    let [one, two, again] = &keys[..] else { panic!("{keys:?}") };
    assert!(one != two && two == again, "{keys:?}");
    run.answer(open[0].key(), true).await.unwrap();
    let outcome = run.wait().await.unwrap();
    assert_eq!(outcome, FlowOutcome::Returned(json!("\"did one\" \"did two\" true")));
    assert_eq!(effects.keys().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn temporary_errors_in_an_agent_are_retried_like_those_of_the_run() {
    let (store, effects) = (MemoryStore::default(), Effects::default());
    let tries = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&tries);
    let flaky = model::from_fn("house/flaky", move |_, _| {
        let number = counted.fetch_add(1, Ordering::SeqCst);
        async move {
            match number {
                0..3 => Err(Error::new(ErrorKind::Unavailable, "overloaded")),
                _ => Ok(ModelResponse::from_text("found")),
            }
        }
    });
    let agent = genkit::generate(()).model(flaky).into_tool("research", "Looks things up.");
    let first = manager(&effects, "research");
    let genkit = Genkit::builder().registry(Registry::new().add([agent]));
    let genkit = genkit.default_model(first).durable(store).build().unwrap();
    let run = genkit.durable_run("r", genkit::generate("go").tools(["research"])).await.unwrap();
    let before = tokio::time::Instant::now();
    run.wait().await.unwrap();
    assert_eq!(tries.load(Ordering::SeqCst), 4);
    assert!(before.elapsed() >= Duration::from_secs(1 + 4 + 16));
}
