//! Tasks: tool calls that continue after their request, as created by a server and as followed by a host.

mod agents;
mod by_hand;
mod followed;
mod hostile;
mod lifetime;
mod outlives;
mod stored;
mod suspended;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use genkit::durable::FolderStore;
use genkit::mcp::McpServer;
use genkit::mcp::rmcp::RawClient as _;
use genkit::mcp::rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, ErrorCode, GetTaskParams,
    UpdateTaskParams,
};
use genkit::mcp::rmcp::service::ServiceError;
use genkit::testing::Client;
use genkit::{Context, Error, ErrorKind, Genkit, Registry, Result, tool, tools};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

/// Effects outside the program, which a restart does not undo.
struct World {
    begun: AtomicUsize,
    effects: AtomicUsize,
    dropped: AtomicUsize,
    /// Functions wait here until they are released.
    gate: Semaphore,
}

impl World {
    fn new() -> Arc<Self> {
        let (begun, effects, dropped) = Default::default();
        Arc::new(Self { begun, effects, dropped, gate: Semaphore::new(0) })
    }

    fn counts(&self) -> (usize, usize, usize) {
        let count = |of: &AtomicUsize| of.load(Ordering::SeqCst);
        (count(&self.begun), count(&self.effects), count(&self.dropped))
    }

    fn open(&self) {
        self.gate.add_permits(100);
    }
}

/// Counts functions that were dropped before they ended.
struct Dropped<'a>(Option<&'a World>);

impl Drop for Dropped<'_> {
    fn drop(&mut self) {
        if let Some(world) = self.0 {
            world.dropped.fetch_add(1, Ordering::SeqCst);
        }
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    name: String,
}

/// Has an effect, and works until it is let go.
#[tool(task = "now")]
async fn work(ctx: &Context, world: &Arc<World>) -> Result<String> {
    world.begun.fetch_add(1, Ordering::SeqCst);
    let mut dropped = Dropped(Some(world));
    let effect = async { Ok::<_, Error>(world.effects.fetch_add(1, Ordering::SeqCst)) };
    ctx.once("effect", effect).await?;
    ctx.progress((1.0, 2.0)).await;
    let mut step = 0.0;
    loop {
        tokio::select! {
            passed = world.gate.acquire() => break passed.unwrap().forget(),
            () = tokio::time::sleep(std::time::Duration::from_millis(50)) => {
                step += 1.0;
                ctx.progress(step).await;
            }
        }
    }
    dropped.0 = None;
    Ok("worked".to_owned())
}

/// Works until it is let go, for an hour at most.
#[tool(task = "now", timeout = "1h")]
async fn patient(world: &Arc<World>) -> String {
    world.begun.fetch_add(1, Ordering::SeqCst);
    let mut dropped = Dropped(Some(world));
    world.gate.acquire().await.unwrap().forget();
    dropped.0 = None;
    "worked".to_owned()
}

/// The same, and never twice.
#[tool(task = "now", at_most_once)]
async fn risky(world: &Arc<World>) -> String {
    world.begun.fetch_add(1, Ordering::SeqCst);
    world.gate.acquire().await.unwrap().forget();
    "happened".to_owned()
}

/// Ends at once.
#[tool(task)]
async fn quick() -> u32 {
    7
}

/// Is always a task.
#[tool(task = "always")]
async fn always() -> String {
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    "done".to_owned()
}

/// Has an effect, asks for two names at once, and for a third.
#[tool(task = "now")]
async fn asks(ctx: &Context, world: &Arc<World>) -> Result<String> {
    world.begun.fetch_add(1, Ordering::SeqCst);
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    let effect = async { Ok::<_, Error>(world.effects.fetch_add(1, Ordering::SeqCst)) };
    ctx.once("effect", effect).await?;
    let (first, second) = tokio::join!(
        ctx.elicit::<Name>("First?").into_future(),
        ctx.elicit::<Name>("Second?").into_future(),
    );
    let third = ctx.elicit::<Name>("Third?").await?.accepted()?;
    let (first, second) = (first?.accepted()?, second?.accepted()?);
    Ok(format!("{} {} {}", first.name, second.name, third.name))
}

/// Fails, or panics.
#[tool(task = "now")]
async fn fails(panics: bool) -> Result<String> {
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    assert!(!panics, "a fault");
    Err(Error::new(ErrorKind::NotFound, "nothing there"))
}

fn registry() -> Registry {
    Registry::new().add(tools![work, patient, risky, quick, always, asks, fails])
}

fn server(world: &Arc<World>, store: Option<&FolderStore>) -> McpServer {
    let genkit = Genkit::builder().registry(registry()).state(Arc::clone(world));
    let genkit = match store {
        Some(store) => genkit.durable(store.clone()),
        None => genkit,
    };
    genkit.build().unwrap().serve_mcp()
}

async fn connect(server: McpServer) -> Client {
    let client = Client::builder().modern(true).tasks(true);
    client.on_elicit(|_, _| panic!("asked by hand")).connect(server).await.unwrap()
}

async fn call(client: &Client, tool: &'static str, input: Value) -> Result<CallToolResponse, i32> {
    let mut params = CallToolRequestParams::new(tool);
    params.arguments = input.as_object().cloned();
    client.peer().call_tool_once(params).await.map_err(code)
}

/// Calls a tool that becomes a task. Returns its id.
async fn begin(client: &Client, tool: &'static str, input: Value) -> String {
    match call(client, tool, input).await {
        Ok(CallToolResponse::Task(created)) => created.task.task_id,
        other => panic!("{tool} is not a task: {other:?}"),
    }
}

async fn get(client: &Client, id: &str) -> Result<Value, i32> {
    let got = client.peer().get_task(GetTaskParams::new(id)).await.map_err(code)?;
    Ok(serde_json::to_value(got).unwrap())
}

async fn update(client: &Client, id: &str, answers: Value) -> Result<(), i32> {
    let answers = serde_json::from_value(answers).unwrap();
    client.peer().update_task(UpdateTaskParams::new(id, answers)).await.map_err(code)
}

async fn cancel(client: &Client, id: &str) -> Result<(), i32> {
    client.peer().cancel_task(CancelTaskParams::new(id)).await.map_err(code)
}

fn code(error: ServiceError) -> i32 {
    match error {
        ServiceError::McpError(error) => error.code.0,
        other => panic!("{other}"),
    }
}

const UNKNOWN: i32 = ErrorCode::INVALID_PARAMS.0;

/// Waits until a task has a status.
async fn until(client: &Client, id: &str, status: &str) -> Value {
    for _ in 0..2000 {
        let got = get(client, id).await.unwrap();
        if got["status"] == status {
            return got;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("the task did not reach the status {status}: {:?}", get(client, id).await)
}

async fn until_counts(world: &World, what: impl Fn((usize, usize, usize)) -> bool) {
    for _ in 0..2000 {
        if what(world.counts()) {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("{:?}", world.counts());
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

fn accept(name: &str) -> Value {
    json!({"action": "accept", "content": {"name": name}})
}
