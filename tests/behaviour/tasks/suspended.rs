//! Durable runs and loops that wait for tasks of servers without holding resources.

use std::time::Duration;

use genkit::durable::RunStatus;
use genkit::mcp::host::{McpHost, ProtocolEra, ServerConfig, TaskWait};
use genkit::message::ToolRequest;
use genkit::model::{self, ModelResponse};
use genkit::testing::ScriptedModel;
use genkit::{flow, flows};

use super::by_hand::{Heard, by_hand, count};
use super::stored::Temp;
use super::*;

/// The number of times that the functions below began.
#[derive(Clone, Default)]
struct Begun(Arc<AtomicUsize>);

/// Lets another server work.
#[tool]
async fn relay(ctx: &Context, host: &McpHost, begun: &Begun) -> Result<Value> {
    begun.0.fetch_add(1, Ordering::SeqCst);
    host.client("s")?.call_tool_in(ctx, "long", json!({})).await
}

/// The same as a flow, twice.
#[flow]
async fn relays(ctx: &Context, host: &McpHost, begun: &Begun) -> Result<String> {
    begun.0.fetch_add(1, Ordering::SeqCst);
    let one = host.client("s")?.call_tool_in(ctx, "long", json!({})).await?;
    let two = host.client("s")?.call_tool_in(ctx, "long", json!({})).await?;
    Ok(format!("{} {}", one.as_str().unwrap_or("?"), two.as_str().unwrap_or("?")))
}

/// The same, for functions that may not begin twice.
#[tool(at_most_once)]
async fn relay_once(ctx: &Context, host: &McpHost, begun: &Begun) -> Result<Value> {
    begun.0.fetch_add(1, Ordering::SeqCst);
    host.client("s")?.call_tool_in(ctx, "long", json!({})).await
}

fn program(
    server: impl Into<ServerConfig>,
    store: &FolderStore,
    begun: &Begun,
    tool: &str,
) -> Genkit {
    let host = McpHost::builder().server("s", server).build().unwrap();
    let call = ToolRequest::new(tool, json!({})).with_id("c1");
    let model = model::from_fn("house/clerk", move |request, _| {
        let is_done = request.messages.iter().any(|message| message.role == genkit::Role::Tool);
        let answer = match is_done {
            true => ModelResponse::from_text("Fine."),
            false => ModelResponse::from_tool_requests([call.clone()]),
        };
        async move { answer }
    });
    Genkit::builder()
        .registry(Registry::new().add(tools![relay, relay_once]).add(flows![relays]))
        .state(host)
        .state(begun.clone())
        .default_model(model)
        .durable(store.clone())
        .build()
        .unwrap()
}

/// Returns a server whose task runs until `gate` is released.
fn slow(heard: &Heard, done: &Arc<AtomicUsize>) -> genkit::mcp::host::CustomTransport {
    let done = Arc::clone(done);
    by_hand(heard, move |_| match done.load(Ordering::SeqCst) {
        0 => json!({"status": "working", "pollIntervalMs": 300}),
        _ => {
            json!({"status": "completed", "result": {"content": [{"type": "text", "text": "ok"}]}})
        }
    })
    .protocol(ProtocolEra::Stateless)
}

/// Waits until another process could take the lease of the run, and releases it again.
async fn until_let_go(store: &FolderStore, run: &str) {
    use genkit::durable::RunStore as _;
    let id = genkit::durable::RunId::new(run).unwrap();
    for _ in 0..1500 {
        let head = store.peek(&id).await.unwrap().unwrap();
        if head.wake_at_ms.is_some() {
            let leased = store.lease(&id, "the test", Duration::from_secs(1)).await.unwrap();
            if leased.is_some() {
                store.release(&id, "the test").await.unwrap();
                return;
            }
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the worker still holds the run");
}

#[tokio::test]
async fn waiting_durable_run_is_suspended_and_its_function_runs_twice() {
    let (_temp, store) = Temp::new("lets-go");
    let (heard, begun, done) = (Heard::default(), Begun::default(), Arc::default());
    let genkit = program(slow(&heard, &done), &store, &begun, "relay");
    let run = genkit.durable_run("r", genkit.generate("Go").tools(["relay"])).await.unwrap();
    let worker = tokio::spawn(genkit.work().poll(Duration::from_millis(50)).run());
    until_let_go(&store, "r").await;
    // It is polled at the interval of the task, and none of its code runs.
    let polls = count(&heard, "tasks/get");
    tokio::time::sleep(Duration::from_secs(3)).await;
    let looks = count(&heard, "tasks/get") - polls;
    assert!((3..=12).contains(&looks), "{looks}");
    assert_eq!(begun.0.load(Ordering::SeqCst), 1, "checking a task starts nothing again");
    done.store(1, Ordering::SeqCst);
    assert_eq!(run.wait().await.unwrap().text(), "Fine.");
    assert_eq!((begun.0.load(Ordering::SeqCst), count(&heard, "tools/call")), (2, 1));
    worker.abort();
}

#[tokio::test]
async fn another_process_resumes_a_released_run() {
    let (_temp, store) = Temp::new("let-go-process");
    let (heard, begun, done) = (Heard::default(), Begun::default(), Arc::default());
    {
        let genkit = program(slow(&heard, &done), &store, &begun, "relay");
        genkit.durable_run("r", genkit.generate("Go").tools(["relay"])).await.unwrap();
        let worker = tokio::spawn(genkit.work().poll(Duration::from_millis(50)).run());
        until_let_go(&store, "r").await;
        worker.abort();
        let _ = worker.await;
    }
    let genkit = program(slow(&heard, &done), &store, &begun, "relay");
    let run = genkit.find_durable_run("r").await.unwrap().expect("it is there");
    let waiting = tokio::spawn({
        let run = run.clone();
        async move { run.wait().await }
    });
    tokio::time::sleep(Duration::from_secs(2)).await;
    // A run that does not know the task runs the function again, and suspends immediately.
    assert_eq!(begun.0.load(Ordering::SeqCst), 2);
    assert_eq!(count(&heard, "tools/call"), 1);
    done.store(1, Ordering::SeqCst);
    assert_eq!(waiting.await.unwrap().unwrap().text(), "Fine.");
    assert_eq!(count(&heard, "tools/call"), 1);
}

#[tokio::test]
async fn flow_lets_go_and_two_equal_calls_are_two_tasks() {
    let (_temp, store) = Temp::new("let-go-flow");
    let (heard, begun, done) = (Heard::default(), Begun::default(), Arc::<AtomicUsize>::default());
    let genkit = program(slow(&heard, &done), &store, &begun, "relay");
    let run = genkit.durable_flow("r", "relays", json!({})).await.unwrap();
    let worker = tokio::spawn(genkit.work().poll(Duration::from_millis(50)).run());
    until_let_go(&store, "r").await;
    done.store(1, Ordering::SeqCst);
    let genkit::durable::FlowOutcome::Returned(value) = run.wait().await.unwrap() else { panic!() };
    assert_eq!(value, "ok ok");
    assert_eq!((begun.0.load(Ordering::SeqCst), count(&heard, "tools/call")), (2, 2));
    worker.abort();
}

#[tokio::test]
async fn cancelling_a_suspended_run_cancels_its_task() {
    for by_another in [false, true] {
        let (_temp, store) = Temp::new(&format!("let-go-cancel-{by_another}"));
        let (heard, begun, done) = (Heard::default(), Begun::default(), Arc::default());
        let genkit = program(slow(&heard, &done), &store, &begun, "relay");
        genkit.durable_run("r", genkit.generate("Go").tools(["relay"])).await.unwrap();
        let worker = tokio::spawn(genkit.work().poll(Duration::from_millis(50)).run());
        until_let_go(&store, "r").await;
        let canceller = match by_another {
            true => program(slow(&Heard::default(), &done), &store, &begun, "relay"),
            false => genkit.clone(),
        };
        let run = canceller.find_durable_run("r").await.unwrap().expect("it is there");
        assert!(run.cancel().await.unwrap());
        for _ in 0..1000 {
            if count(&heard, "tasks/cancel") == 1 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(count(&heard, "tasks/cancel"), 1, "{by_another}");
        worker.abort();
    }
}

#[tokio::test]
async fn call_that_may_not_begin_twice_holds_its_worker() {
    let (_temp, store) = Temp::new("holds");
    let (heard, begun, done) = (Heard::default(), Begun::default(), Arc::<AtomicUsize>::default());
    let genkit = program(slow(&heard, &done), &store, &begun, "relay_once");
    let run = genkit.durable_run("r", genkit.generate("Go").tools(["relay_once"])).await.unwrap();
    let waiting = tokio::spawn({
        let run = run.clone();
        async move { run.wait().await }
    });
    tokio::time::sleep(Duration::from_secs(7)).await;
    assert_eq!(run.status().await.unwrap(), RunStatus::Working);
    done.store(1, Ordering::SeqCst);
    assert_eq!(waiting.await.unwrap().unwrap().text(), "Fine.");
    assert_eq!((begun.0.load(Ordering::SeqCst), count(&heard, "tools/call")), (1, 1));
}

#[tokio::test]
async fn loop_is_interrupted_with_the_task_where_that_is_wanted() {
    let (heard, done) = (Heard::default(), Arc::<AtomicUsize>::default());
    let server = slow(&heard, &done).task_wait(TaskWait::Interrupt);
    let host = McpHost::builder().server("s", server).build().unwrap();
    host.ready().await;
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([ToolRequest::new("s/long", json!({})).with_id("c1")]),
        ModelResponse::from_text("Fine."),
    ]);
    let ask = || genkit::generate("Go").model(model.clone()).tools(host.tools());
    let mut response = ask().await.unwrap();
    let mut stops = 0;
    while response.is_interrupted() {
        stops += 1;
        let open = &response.interrupts()[0];
        assert!(open.is_task() && !open.is_approval());
        let shown = &open.metadata().unwrap()["mcpTask"];
        assert_eq!((&shown["taskId"], &shown["server"]), (&json!("t1"), &json!("s")), "{shown}");
        if stops == 3 {
            done.store(1, Ordering::SeqCst);
        }
        response = ask().resume(response, |open| open.restart(())).await.unwrap();
    }
    assert_eq!((stops, response.text().as_str()), (3, "Fine."));
    assert_eq!((count(&heard, "tools/call"), count(&heard, "tasks/cancel")), (1, 0));
    // A program's own call waits, since it cannot be interrupted.
    assert_eq!(host.call_tool("s/long", json!({})).await.unwrap(), "ok");
}

#[tokio::test]
async fn denying_a_task_cancels_it() {
    let (heard, done) = (Heard::default(), Arc::<AtomicUsize>::default());
    let server = slow(&heard, &done).task_wait(TaskWait::Interrupt);
    let host = McpHost::builder().server("s", server).build().unwrap();
    host.ready().await;
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([ToolRequest::new("s/long", json!({})).with_id("c1")]),
        ModelResponse::from_text("Never mind."),
    ]);
    let ask = || genkit::generate("Go").model(model.clone()).tools(host.tools());
    let response = ask().await.unwrap();
    assert!(response.is_interrupted());
    let response =
        ask().resume(response, |open| open.decline_with("it takes too long")).await.unwrap();
    assert_eq!(response.text(), "Never mind.");
    for _ in 0..500 {
        if count(&heard, "tasks/cancel") == 1 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the server was not notified");
}

#[tokio::test]
async fn durable_run_is_interrupted_with_the_task_too() {
    let (_temp, store) = Temp::new("interrupted");
    let (heard, begun, done) = (Heard::default(), Begun::default(), Arc::<AtomicUsize>::default());
    let server = slow(&heard, &done).task_wait(TaskWait::Interrupt);
    let genkit = program(server, &store, &begun, "relay");
    let run = genkit.durable_run("r", genkit.generate("Go").tools(["relay"])).await.unwrap();
    for _ in 0..2 {
        assert!(run.wait().await.unwrap().is_interrupted());
        assert_eq!(run.status().await.unwrap(), RunStatus::InputRequired);
        run.answer("c1", json!(null)).await.unwrap();
    }
    assert!(run.wait().await.unwrap().is_interrupted());
    done.store(1, Ordering::SeqCst);
    run.answer("c1", json!(null)).await.unwrap();
    assert_eq!(run.wait().await.unwrap().text(), "Fine.");
    assert_eq!(count(&heard, "tools/call"), 1);
}

#[tokio::test]
async fn task_is_polled_until_its_ttl_expires() {
    let heard = Heard::default();
    let server =
        by_hand(&heard, |_| json!({"status": "working", "ttlMs": 1500, "pollIntervalMs": 60_000}));
    let host =
        McpHost::builder().server("s", server.protocol(ProtocolEra::Stateless)).build().unwrap();
    // The interval is longer than the lifetime of the task, so the first poll reports that it expired.
    let call = host.call_tool("s/long", json!({}));
    let failed = tokio::time::timeout(Duration::from_secs(70), call).await.unwrap().unwrap_err();
    assert_eq!(failed.kind(), ErrorKind::DeadlineExceeded, "{failed}");
    assert!(failed.to_string().contains("1.5s"), "{failed}");
}
