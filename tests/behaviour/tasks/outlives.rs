//! Durable runs that wait for tasks of servers: ending a run ends its task, and an outage does not.

use std::net::SocketAddr;
use std::time::Duration;

use genkit::BoxFuture;
use genkit::durable::{RunChange, RunHead, RunId, RunStatus, RunStore, StoredRun};
use genkit::mcp::host::{McpHost, ProtocolEra, ServerConfig};
use genkit::message::ToolRequest;
use genkit::model::ModelResponse;
use genkit::testing::ScriptedModel;
use genkit::{flow, flows};
use tokio::task::JoinHandle;

use super::stored::Temp;
use super::*;

/// Lets another server work.
#[tool]
async fn relay(ctx: &Context, host: &McpHost) -> Result<Value> {
    host.client("s")?.call_tool_in(ctx, "work", json!({})).await
}

/// The same as a flow.
#[flow]
async fn relays(ctx: &Context, host: &McpHost) -> Result<Value> {
    host.client("s")?.call_tool_in(ctx, "work", json!({})).await
}

/// Returns a program whose durable runs wait for `server`.
fn program(server: impl Into<ServerConfig>, store: impl RunStore) -> Genkit {
    let host = McpHost::builder().server("s", server).build().unwrap();
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([ToolRequest::new("relay", json!({})).with_id("c1")]),
        ModelResponse::from_text("Fine."),
    ]);
    Genkit::builder()
        .registry(Registry::new().add(tools![relay]).add(flows![relays]))
        .state(host)
        .default_model(model)
        .durable(store)
        .build()
        .unwrap()
}

#[tokio::test]
async fn cancelling_a_durable_run_or_flow_cancels_its_task() {
    for is_flow in [false, true] {
        let ((_temp, store), world) = (Temp::new(&format!("ended-{is_flow}")), World::new());
        let served = Arc::clone(&world);
        let server = ServerConfig::in_process(move || server(&served, None));
        let genkit = program(server.protocol(ProtocolEra::Stateless), store);
        let worker = tokio::spawn(genkit.work().poll(Duration::from_millis(50)).run());
        if is_flow {
            let run = genkit.durable_flow("r", "relays", json!({})).await.unwrap();
            until_counts(&world, |(_, effects, _)| effects == 1).await;
            assert!(run.cancel().await.unwrap());
        } else {
            let ask = genkit.generate("Go").tools(["relay"]);
            let run = genkit.durable_run("r", ask).await.unwrap();
            until_counts(&world, |(_, effects, _)| effects == 1).await;
            assert!(run.cancel().await.unwrap());
        }
        // The worker of the task notices the cancellation when it renews its lease.
        until_counts(&world, |(_, _, dropped)| dropped == 1).await;
        worker.abort();
    }
}

/// Returns a server at an address, until it is aborted.
fn listening(
    address: SocketAddr,
    world: &Arc<World>,
    store: &FolderStore,
) -> (SocketAddr, JoinHandle<()>) {
    let listener = std::net::TcpListener::bind(address).unwrap();
    let address = listener.local_addr().unwrap();
    let server = server(world, Some(store)).listener(listener);
    let serving = tokio::spawn(async move { server.await.unwrap() });
    (address, serving)
}

#[tokio::test]
async fn outage_of_its_server_ends_no_task_of_a_durable_run() {
    let ((_temp, ours), (_others, theirs)) = (Temp::new("outage"), Temp::new("outage-server"));
    let world = World::new();
    let any: SocketAddr = "127.0.0.1:0".parse().unwrap();
    let (address, serving) = listening(any, &world, &theirs);
    let server =
        ServerConfig::http(format!("http://{address}/mcp")).protocol(ProtocolEra::Stateless);
    let genkit = program(server, ours);
    let ask = genkit.generate("Go").tools(["relay"]);
    let run = genkit.durable_run("r", ask).await.unwrap();
    let waiting = tokio::spawn({
        let run = run.clone();
        async move { run.wait().await }
    });
    until_counts(&world, |(_, effects, _)| effects == 1).await;
    tokio::time::sleep(Duration::from_millis(300)).await; // its id is known by now
    serving.abort();
    let _ = serving.await;
    // This is longer than the time for which a call is retried.
    tokio::time::sleep(Duration::from_secs(8)).await;
    assert_eq!(run.status().await.unwrap(), RunStatus::Working);
    let (_, serving) = listening(address, &world, &theirs);
    world.open();
    assert_eq!(waiting.await.unwrap().unwrap().text(), "Fine.");
    // One task and one effect: the model received no error.
    assert_eq!(world.counts().1, 1);
    serving.abort();
}

/// A store that hangs when it saves the id of a task.
#[derive(Clone)]
struct Hanging {
    inner: FolderStore,
    saves: Arc<AtomicUsize>,
}

impl RunStore for Hanging {
    all_of_inner_but!(save);

    fn save<'a>(
        &'a self,
        run: &'a RunId,
        at: u64,
        change: &'a RunChange,
    ) -> BoxFuture<'a, Result<Option<u64>>> {
        if change.head.contains("mcp-task:") {
            self.saves.fetch_add(1, Ordering::SeqCst);
            return Box::pin(std::future::pending());
        }
        self.inner.save(run, at, change)
    }
}

#[tokio::test]
async fn task_whose_id_was_not_saved_ends_with_its_worker() {
    let ((_temp, store), world) = (Temp::new("unsaved"), World::new());
    let served = Arc::clone(&world);
    let server = ServerConfig::in_process(move || server(&served, None));
    let hanging = Hanging { inner: store, saves: Arc::default() };
    let genkit = program(server.protocol(ProtocolEra::Stateless), hanging.clone());
    let ask = genkit.generate("Go").tools(["relay"]);
    let run = genkit.durable_run("r", ask).await.unwrap();
    let waiting = tokio::spawn(async move { run.wait().await });
    until_counts(&world, |(_, effects, _)| effects == 1).await;
    while hanging.saves.load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    // No later process could resume it.
    waiting.abort();
    until_counts(&world, |(_, _, dropped)| dropped == 1).await;
}
