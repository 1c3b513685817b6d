//! The cost of a step as its run grows.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use genkit::durable::{FlowOutcome, RunChange, RunHead, RunId, RunStore, StoredRun};
use genkit::message::ToolRequest;
use genkit::model::{self, ModelResponse};
use genkit::{BoxFuture, Context, Genkit, Registry, Result, Role, flow, flows, tool, tools};
use serde_json::json;

use super::memory::MemoryStore;

/// A store that records the number of bytes of each save.
#[derive(Clone, Default)]
struct Weighing {
    inner: MemoryStore,
    bytes: Arc<Mutex<Vec<usize>>>,
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
        self.bytes.lock().unwrap().push(change.head.len() + log);
        self.inner.save(run, at, change)
    }
}

const ROUNDS: usize = 60;

/// Says much.
#[tool]
async fn say() -> String {
    "x".repeat(500)
}

/// Does much, and asks.
#[flow]
async fn toil(ctx: &Context) -> Result<usize> {
    let mut done = 0;
    for at in 0..ROUNDS {
        let part: String = ctx
            .once(&format!("part-{at}"), async { Ok::<_, genkit::Error>("y".repeat(500)) })
            .await?;
        done += part.len();
    }
    ctx.confirm("Enough?").await?;
    Ok(done)
}

fn instance(store: Weighing) -> Genkit {
    let model = model::from_fn("house/talks", |request, _| {
        let rounds = request.messages.iter().filter(|message| message.role == Role::Tool).count();
        let answer = match rounds {
            ROUNDS => ModelResponse::from_text("enough"),
            _ => ModelResponse::from_tool_requests([ToolRequest::new("say", json!({}))]),
        };
        async move { answer }
    });
    Genkit::builder()
        .registry(Registry::new().add(tools![say]).add(flows![toil]))
        .default_model(model)
        .durable(store)
        .build()
        .unwrap()
}

/// Returns the size of the largest save in the first quarter and in the last quarter.
fn quarters(bytes: &[usize]) -> (usize, usize) {
    let quarter = bytes.len() / 4;
    let most = |bytes: &[usize]| bytes.iter().copied().max().unwrap();
    (most(&bytes[..quarter]), most(&bytes[bytes.len() - quarter..]))
}

#[tokio::test(start_paused = true)]
async fn step_saves_only_new_data() {
    let store = Weighing::default();
    let genkit = instance(store.clone());
    let ask = genkit::generate("Talk.").tools(["say"]).max_turns(ROUNDS);
    let run = genkit.durable_run("r", ask).await.unwrap();
    assert_eq!(run.wait().await.unwrap().text(), "enough");
    let bytes = store.bytes.lock().unwrap().clone();
    assert_eq!(bytes.len(), 2 * ROUNDS + 1);
    let (early, late) = quarters(&bytes);
    assert!(late < early + 100, "{early} bytes, later {late}");

    let store = Weighing::default();
    let genkit = instance(store.clone());
    let run = genkit.durable_flow("f", "toil", json!({})).await.unwrap();
    let FlowOutcome::Interrupted(open) = run.wait().await.unwrap() else { panic!() };
    run.answer(open[0].key(), true).await.unwrap();
    assert_eq!(run.wait().await.unwrap(), FlowOutcome::Returned(json!(500 * ROUNDS)));
    let bytes = store.bytes.lock().unwrap().clone();
    assert_eq!(bytes.len(), ROUNDS + 3, "each part once, the question, the answer, the end");
    let (early, late) = quarters(&bytes);
    assert!(late < early + 300, "{early} bytes, later {late}");
}
