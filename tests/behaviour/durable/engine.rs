//! The interface for durable engines, tested with an in-memory engine that stores everything as JSON.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use genkit::durable::engine::{EngineAnswers, EngineRun, EngineStep, NoStepLog, StepResult};
use genkit::durable::{FlowOutcome, RunChange, RunHead, RunId, RunStatus, StoredRun};
use genkit::message::ToolRequest;
use genkit::model::{self, ModelResponse};
use genkit::{Context, Error, ErrorKind, Genkit, Registry, Result, Tool, flow, flows, tool, tools};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::memory::MemoryStore;
use super::world::{MODEL_CALLS, World, ask, check_answer, process};

/// Returns the value after a round trip through JSON, as if it was sent to another machine.
fn moved<T: Serialize + DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

/// The state that an engine stores for a run: a head, and an append-only log.
struct Engine {
    id: RunId,
    kept: StoredRun,
}

impl Engine {
    fn of(id: &str, first: RunChange) -> Self {
        let at = RunHead::new(1, first.status, None);
        Self { id: RunId::new(id).unwrap(), kept: StoredRun::new(at, first.head, first.log) }
    }

    async fn start(genkit: &Genkit, id: &str, ask: genkit::Generate) -> Self {
        let first = EngineRun::first_of_run(genkit, &RunId::new(id).unwrap(), ask).await.unwrap();
        Self::of(id, first)
    }

    async fn load(&self, genkit: &Genkit) -> EngineRun {
        EngineRun::load(genkit, &self.id, self.kept.clone()).await.unwrap()
    }

    fn keep(&mut self, run: &mut EngineRun) {
        let change = run.change().unwrap();
        self.kept.at = RunHead::new(self.kept.at.revision + 1, change.status, None);
        self.kept.head = change.head;
        self.kept.log.extend(change.log);
    }

    fn status(&self) -> RunStatus {
        self.kept.at.status
    }

    /// Returns the due steps, and stores that they were returned.
    async fn due(&mut self, genkit: &Genkit) -> Vec<EngineStep> {
        let mut run = self.load(genkit).await;
        let due = run.due();
        self.keep(&mut run);
        due.iter().map(moved).collect()
    }

    async fn take(&mut self, genkit: &Genkit, done: &StepResult) -> bool {
        let mut run = self.load(genkit).await;
        let is_taken = run.accept_step_result(moved(done)).await.unwrap();
        self.keep(&mut run);
        is_taken
    }

    async fn answer(&mut self, genkit: &Genkit, call: &str, answer: Value) {
        let mut run = self.load(genkit).await;
        let answers = EngineAnswers::plain(call, answer).unwrap();
        run.answer(moved(&answers)).await.unwrap();
        self.keep(&mut run);
    }

    /// Performs due steps in turn until none is left.
    async fn work(&mut self, genkit: &Genkit) {
        while self.status() == RunStatus::Working {
            for step in self.due(genkit).await {
                let done = perform(&step, genkit).await.unwrap();
                assert!(self.take(genkit, &done).await);
            }
        }
    }
}

async fn perform(step: &EngineStep, genkit: &Genkit) -> Result<StepResult> {
    step.perform(genkit, BTreeMap::new(), NoStepLog, std::future::pending()).await
}

/// Returns a new instance each time: steps run on machines that share only the registry.
fn machine(world: &World) -> Genkit {
    process(MemoryStore::default(), world)
}

fn tools_of(steps: &[EngineStep]) -> Vec<Option<&str>> {
    steps.iter().map(EngineStep::tool).collect()
}

#[tokio::test]
async fn steps_settle_in_any_order_on_any_machine_and_an_outcome_counts_once() {
    for is_reversed in [false, true] {
        let world = World::default();
        let mut engine = Engine::start(&machine(&world), "order", ask()).await;
        let asks = engine.due(&machine(&world)).await;
        assert_eq!(tools_of(&asks), [None], "a model call alone");
        assert!(
            engine.due(&machine(&world)).await.is_empty(),
            "a step that was returned is no longer due"
        );
        let done = perform(&asks[0], &machine(&world)).await.unwrap();
        assert!(engine.take(&machine(&world), &done).await);
        assert!(!engine.take(&machine(&world), &done).await, "the result was already accepted");

        let mut calls = engine.due(&machine(&world)).await;
        assert_eq!(tools_of(&calls), [Some("pay"), Some("note")]);
        assert_ne!(calls[0].number(), calls[1].number());
        if is_reversed {
            calls.reverse();
        }
        for step in calls {
            let done = perform(&step, &machine(&world)).await.unwrap();
            assert!(engine.take(&machine(&world), &done).await);
            assert!(!engine.take(&machine(&world), &done).await, "the result was already accepted");
        }
        engine.work(&machine(&world)).await;
        assert_eq!(engine.status(), RunStatus::InputRequired);
        let open = engine.load(&machine(&world)).await.open_questions();
        assert_eq!(open.len(), 1);
        engine.answer(&machine(&world), "c3", json!(true)).await;
        engine.work(&machine(&world)).await;
        assert_eq!(engine.status(), RunStatus::Completed);
        // In the order of the model's calls, regardless of which finished first.
        check_answer(&engine.load(&machine(&world)).await.response().unwrap());
        assert_eq!(world.models(), MODEL_CALLS);
        assert_eq!(world.charged(), ["order/1/0/charge"]);
        let mut over = engine.load(&machine(&world)).await;
        let again = over.answer(EngineAnswers::plain("c3", true).unwrap()).await.unwrap_err();
        assert_eq!(again.kind(), ErrorKind::FailedPrecondition, "{again}");
    }
}

#[tokio::test]
async fn cancelled_run_takes_no_more_and_gives_nothing_out() {
    let world = World::default();
    let genkit = machine(&world);
    let mut engine = Engine::start(&genkit, "ended", ask()).await;
    let step = engine.due(&genkit).await.remove(0);
    let done = perform(&step, &genkit).await.unwrap();
    let mut run = engine.load(&genkit).await;
    assert!(run.cancel());
    assert!(!run.cancel(), "it is over");
    engine.keep(&mut run);
    assert!(!engine.take(&genkit, &done).await, "the result came too late");
    assert_eq!(engine.status(), RunStatus::Cancelled);
    assert!(engine.due(&genkit).await.is_empty());
    let error = engine.load(&genkit).await.response().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
}

/// Ships. This must not happen twice.
#[tool(at_most_once)]
async fn ship() -> &'static str {
    "shipped"
}

/// Returns an instance whose model calls `ship`, and has these tools.
fn shop(tools: Vec<Tool>) -> Genkit {
    let model = model::from_fn("house/shop", |request, _| {
        let is_done = request.messages.iter().any(|message| message.role == genkit::Role::Tool);
        async move {
            match is_done {
                true => ModelResponse::from_text("bye"),
                false => ModelResponse::from_tool_requests([
                    ToolRequest::new("ship", json!({})).with_id("s1")
                ]),
            }
        }
    });
    let registry = Registry::new().add(tools);
    Genkit::builder().registry(registry).default_model(model).build().unwrap()
}

#[tokio::test]
async fn at_most_once_step_becomes_a_question() {
    let genkit = shop(tools![ship]);
    let ask = genkit::generate("Ship it.").tools(["ship"]);
    let mut engine = Engine::start(&genkit, "ship", ask).await;
    let step = engine.due(&genkit).await.remove(0);
    assert!(!step.is_at_most_once(&genkit), "a model may be asked twice");
    let done = perform(&step, &genkit).await.unwrap();
    assert!(engine.take(&genkit, &done).await);
    let step = engine.due(&genkit).await.remove(0);
    assert!(step.is_at_most_once(&genkit));
    assert!(step.time_limit(&genkit).is_some());
    // The machine that performed the step died, so the outcome of the step is unknown.
    assert!(engine.take(&genkit, &step.unknown(BTreeMap::new())).await);
    assert_eq!(engine.status(), RunStatus::InputRequired);
    assert_eq!(engine.load(&genkit).await.open_questions().len(), 1);
    assert!(engine.due(&genkit).await.is_empty());
}

#[tokio::test]
async fn missing_tool_in_the_registry_is_reported() {
    let genkit = shop(tools![ship]);
    let ask = genkit::generate("Ship it.").tools(["ship"]);
    let mut engine = Engine::start(&genkit, "lacks", ask).await;
    let step = engine.due(&genkit).await.remove(0);
    let done = perform(&step, &genkit).await.unwrap();
    assert!(engine.take(&genkit, &done).await);
    let step = engine.due(&genkit).await.remove(0);
    let other = shop(Vec::new());
    let lacking = EngineRun::load(&other, &engine.id, engine.kept.clone()).await.unwrap_err();
    assert!(lacking.to_string().contains("ship"), "{lacking}");
    let lacking = perform(&step, &other).await.unwrap_err();
    assert!(lacking.to_string().contains("ship"), "{lacking}");
    // A machine that has the tool continues.
    let done = perform(&step, &genkit).await.unwrap();
    assert!(engine.take(&genkit, &done).await);
    engine.work(&genkit).await;
    assert_eq!(engine.load(&genkit).await.response().unwrap().text(), "bye");
}

#[tokio::test]
async fn step_with_a_transient_error_is_retried() {
    let tries = Arc::<AtomicUsize>::default();
    let counted = Arc::clone(&tries);
    let model = model::from_fn("house/busy", move |_, _| {
        let number = counted.fetch_add(1, Ordering::SeqCst);
        async move {
            match number {
                0 => Err(Error::new(ErrorKind::Unavailable, "busy")),
                1 => Ok(ModelResponse::from_text("hello")),
                _ => Err(Error::invalid_argument("not like this")),
            }
        }
    });
    let genkit = Genkit::builder().registry(Registry::new()).default_model(model).build().unwrap();
    let mut engine = Engine::start(&genkit, "busy", genkit::generate("hi")).await;
    let step = engine.due(&genkit).await.remove(0);
    let failed = perform(&step, &genkit).await.unwrap();
    assert_eq!(failed.error().unwrap().kind(), ErrorKind::Unavailable);
    let waits: Vec<_> = (1..=4).map(|tries| moved(&failed).retry_after(tries).unwrap()).collect();
    assert!(waits.is_sorted_by(|one, next| one < next), "{waits:?}");
    assert_eq!(failed.retry_after(5), None, "the maximum number of attempts is reached");
    let done = perform(&step, &genkit).await.unwrap();
    assert!(done.error().is_none() && done.retry_after(1).is_none());
    assert!(engine.take(&genkit, &done).await);
    assert_eq!(engine.load(&genkit).await.response().unwrap().text(), "hello");

    let mut engine = Engine::start(&genkit, "wrong", genkit::generate("hi")).await;
    let step = engine.due(&genkit).await.remove(0);
    let failed = perform(&step, &genkit).await.unwrap();
    assert_eq!(failed.retry_after(1), None, "it would fail again");
    assert!(engine.take(&genkit, &failed).await);
    assert_eq!(engine.status(), RunStatus::Failed);
    let error = engine.load(&genkit).await.response().unwrap_err();
    assert!(error.chain().contains("not like this"), "{}", error.chain());
}

/// Greets, once a user agrees.
#[flow]
async fn welcome(count: &Greeted, ctx: &Context, name: String) -> Result<String> {
    let hello = async {
        count.0.fetch_add(1, Ordering::SeqCst);
        Ok::<_, Error>(format!("Hello, {name}"))
    };
    let hello = ctx.once("hello", hello).await?;
    ctx.confirm("Greet?").await?;
    Ok(hello)
}

#[derive(Clone, Default)]
struct Greeted(Arc<AtomicUsize>);

#[tokio::test]
async fn interrupted_flow_resumes_when_answered() {
    let greeted = Greeted::default();
    let registry = Registry::new().add(flows![welcome]);
    let genkit = Genkit::builder().registry(registry).state(greeted.clone()).build().unwrap();
    let id = RunId::new("greets").unwrap();
    let first = EngineRun::first_of_flow(&genkit, &id, "welcome", json!({"name": "Ada"}));
    let mut engine = Engine::of("greets", first.unwrap());
    let step = engine.due(&genkit).await.remove(0);
    assert_eq!((step.flow(), step.tool()), (Some("welcome"), None));
    let done = perform(&step, &genkit).await.unwrap();
    assert!(done.asks());
    assert!(engine.take(&genkit, &done).await);
    assert_eq!(engine.status(), RunStatus::InputRequired);
    let asked = engine.load(&genkit).await.open_questions();
    assert_eq!(asked.len(), 1, "{asked:?}");
    engine.answer(&genkit, "q1", json!(true)).await;
    engine.work(&genkit).await;
    let outcome = engine.load(&genkit).await.flow_outcome().unwrap();
    assert_eq!(outcome, FlowOutcome::Returned(json!("Hello, Ada")));
    assert_eq!(greeted.0.load(Ordering::SeqCst), 1, "the result of `once` is in the state");
    let error = engine.load(&genkit).await.response().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FailedPrecondition, "{error}");
}
