//! The durable runs of these tests, and their effects outside the program.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use genkit::durable::RunStore;
use genkit::message::ToolRequest;
use genkit::model::{self, FnModel, ModelResponse};
use genkit::{Context, GenerateResponse, Genkit, Part, Registry, Result, Role, tool, tools};
use serde_json::json;

/// Effects outside the program, which a crash does not undo.
#[derive(Clone, Default)]
pub(super) struct World(pub(super) Arc<WorldState>);

#[derive(Default)]
pub(super) struct WorldState {
    pub(super) models: AtomicUsize,
    pub(super) notes: AtomicUsize,
    pub(super) bodies: AtomicUsize,
    pub(super) deleted: AtomicUsize,
    /// The charges of a payment service, by idempotency key.
    pub(super) charged: Mutex<Vec<String>>,
}

impl World {
    pub(super) fn models(&self) -> usize {
        self.0.models.load(Ordering::SeqCst)
    }

    pub(super) fn charged(&self) -> Vec<String> {
        let mut keys = self.0.charged.lock().unwrap().clone();
        keys.dedup();
        keys
    }

    fn count(&self, what: impl FnOnce(&WorldState) -> &AtomicUsize) -> usize {
        what(&self.0).fetch_add(1, Ordering::SeqCst) + 1
    }
}

/// Pays, in two steps.
#[tool]
pub(super) async fn pay(world: &World, ctx: &Context, cents: u32) -> Result<String> {
    world.count(|world| &world.bodies);
    let key = ctx.idempotency_key("charge").unwrap();
    let charge = async {
        tokio::task::yield_now().await;
        world.0.charged.lock().unwrap().push(key);
        Ok::<_, genkit::Error>(format!("paid {cents}"))
    };
    let receipt: String = ctx.once("charge", charge).await?;
    tokio::task::yield_now().await;
    ctx.once("thanks", async { Ok::<_, genkit::Error>(format!("{receipt}, thanks")) }).await
}

/// Notes something.
#[tool]
pub(super) async fn note(world: &World, text: String) -> String {
    world.count(|world| &world.notes);
    format!("noted {text}")
}

/// Deletes something.
#[tool(needs_approval)]
pub(super) async fn delete(world: &World, id: u32) -> String {
    world.count(|world| &world.deleted);
    format!("{id} is gone")
}

/// Returns a model whose responses depend only on the conversation, like those of a provider.
pub(super) fn model(world: &World) -> FnModel {
    let world = world.clone();
    model::from_fn("house/clerk", move |request, _| {
        world.count(|world| &world.models);
        let rounds = request.messages.iter().filter(|message| message.role == Role::Tool).count();
        let call = |id: &str, name: &str, input| ToolRequest::new(name, input).with_id(id);
        let answer = match rounds {
            0 => ModelResponse::from_tool_requests([
                call("c1", "pay", json!({"cents": 500})),
                call("c2", "note", json!({"text": "a"})),
            ]),
            1 => ModelResponse::from_tool_requests([
                call("c3", "delete", json!({"id": 7})),
                call("c4", "note", json!({"text": "b"})),
            ]),
            _ => ModelResponse::from_text("all done"),
        };
        async move { answer }
    })
}

/// Returns a process: a separate instance with the same store and the same world.
#[allow(dead_code, reason = "the tests of some stores only use the other form")]
pub(super) fn process(store: impl RunStore, world: &World) -> Genkit {
    process_with_lease(store, world, Duration::from_secs(30))
}

/// Returns a process whose leases last this long.
pub(super) fn process_with_lease(store: impl RunStore, world: &World, lease: Duration) -> Genkit {
    Genkit::builder()
        .registry(Registry::new().add(tools![pay, note, delete]))
        .state(world.clone())
        .default_model(model(world))
        .durable(store)
        .durable_lease(lease)
        .build()
        .unwrap()
}

pub(super) fn ask() -> genkit::Generate {
    genkit::generate("Pay, and clean up.").tools(["pay", "note", "delete"])
}

/// Checks the response of an undisturbed run of [`ask`].
pub(super) fn check_answer(response: &GenerateResponse) {
    assert_eq!(response.text(), "all done");
    let messages = response.messages();
    let answers = messages.iter().flat_map(|message| &message.content);
    let outputs: Vec<_> =
        answers.filter_map(Part::as_tool_response).map(|answer| answer.output.clone()).collect();
    assert_eq!(outputs, ["paid 500, thanks", "noted a", "7 is gone", "noted b"]);
}

/// The model calls of an undisturbed run.
pub(super) const MODEL_CALLS: usize = 3;
