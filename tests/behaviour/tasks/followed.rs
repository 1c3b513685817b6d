//! A host follows tasks of servers to their end, through their questions, and only as long as a caller waits.

use std::time::Duration;

use genkit::Elicited;
use genkit::mcp::host::{ElicitRequest, McpEvent, McpHost, ProtocolEra, ServerConfig};
use genkit::message::ToolRequest;
use genkit::model::ModelResponse;
use genkit::testing::ScriptedModel;
use std::sync::Mutex;

use super::by_hand::{Heard, by_hand, count};
use super::*;

fn hosted(world: &Arc<World>) -> genkit::mcp::host::CustomTransport {
    let world = Arc::clone(world);
    ServerConfig::in_process(move || server(&world, None)).protocol(ProtocolEra::Stateless)
}

#[tokio::test]
async fn host_waits_for_a_task_and_tells_its_progress() {
    let world = World::new();
    let messages: Arc<Mutex<Vec<String>>> = Arc::default();
    let told = Arc::clone(&messages);
    let host = McpHost::builder()
        .server("s", hosted(&world))
        .on_event(move |event| {
            if let McpEvent::Progress { progress, .. } = event {
                told.lock().unwrap().extend(progress.message().map(str::to_owned));
            }
        })
        .build()
        .unwrap();
    let (waits, opens) = (host.call_tool("s/work", json!({})), async {
        tokio::time::sleep(Duration::from_millis(1200)).await;
        world.open();
    });
    let (answer, ()) = tokio::join!(waits, opens);
    assert_eq!(answer.unwrap(), "worked");
    assert_eq!(world.counts(), (1, 1, 0));
    let failed = host.call_tool("s/fails", json!({"panics": true})).await.unwrap_err();
    assert!(failed.to_string().contains("panicked"), "{failed}");
    let failed = host.call_tool("s/fails", json!({"panics": false})).await.unwrap_err();
    assert!(failed.to_string().contains("nothing there"), "{failed}");
}

#[tokio::test]
async fn questions_of_a_task_are_asked_once_each() {
    let world = World::new();
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let heard = Arc::clone(&asked);
    let host = McpHost::builder()
        .server("s", hosted(&world))
        .on_elicit(move |request: ElicitRequest| {
            heard.lock().unwrap().push(request.message.clone());
            let name = request.message.trim_end_matches('?').to_owned();
            async move { Elicited::Accepted(json!({ "name": name })) }
        })
        .build()
        .unwrap();
    assert_eq!(host.call_tool("s/asks", json!({})).await.unwrap(), "First Second Third");
    let mut asked = asked.lock().unwrap().clone();
    asked.sort();
    assert_eq!(asked, ["First?", "Second?", "Third?"]);
    assert_eq!(world.counts().1, 1);
}

#[tokio::test]
async fn loop_that_stops_to_ask_continues_with_the_same_task() {
    let world = World::new();
    let host = McpHost::builder().server("s", hosted(&world)).build().unwrap();
    host.ready().await;
    let call = ToolRequest::new("s/asks", json!({})).with_id("call_1");
    let model = ScriptedModel::new([
        ModelResponse::from_tool_requests([call]),
        ModelResponse::from_text("Fine."),
    ]);
    let ask = || genkit::generate("Go").model(model.clone()).tools(host.tools());
    let mut response = ask().await.unwrap();
    let mut rounds = 0;
    while response.is_interrupted() {
        rounds += 1;
        let name = format!("n{rounds}");
        response =
            ask().resume(response, |open| open.accept(json!({ "name": name }))).await.unwrap();
    }
    assert!(rounds >= 2, "{rounds}");
    assert_eq!(response.text(), "Fine.");
    // One task, with one effect.
    assert_eq!(world.counts().1, 1);
}

#[tokio::test]
async fn caller_that_goes_away_ends_its_task_unless_it_is_kept() {
    for keeps in [false, true] {
        let world = World::new();
        let host =
            McpHost::builder().server("s", hosted(&world).keep_tasks(keeps)).build().unwrap();
        let call = tokio::spawn({
            let host = host.clone();
            async move { host.call_tool("s/work", json!({})).await }
        });
        until_counts(&world, |(_, effects, _)| effects == 1).await;
        // By then, the host has received the id of the task.
        tokio::time::sleep(Duration::from_millis(300)).await;
        call.abort();
        if keeps {
            tokio::time::sleep(Duration::from_millis(300)).await;
            assert_eq!(world.counts().2, 0);
        } else {
            until_counts(&world, |(_, _, dropped)| dropped == 1).await;
        }
    }
}

fn one(server: genkit::mcp::host::CustomTransport) -> McpHost {
    let server = server.protocol(ProtocolEra::Stateless);
    McpHost::builder().server("s", server).build().unwrap()
}

#[tokio::test]
async fn endless_task_is_polled_and_finally_cancelled() {
    let heard = Heard::default();
    let host = one(by_hand(&heard, |_| json!({"status": "working"})));
    let call = tokio::time::timeout(Duration::from_secs(1), host.call_tool("s/long", json!({})));
    assert!(call.await.is_err());
    let polls = count(&heard, "tasks/get");
    assert!((1..=11).contains(&polls), "{polls}");
    for _ in 0..500 {
        if count(&heard, "tasks/cancel") == 1 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the server was not notified");
}

#[tokio::test]
async fn server_that_answers_for_another_task_or_with_none_is_an_error() {
    for odd in [
        json!({"status": "completed", "taskId": "t2", "result": {"content": []}}),
        json!({"status": "dancing"}),
        json!({"status": "input_required", "inputRequests": 5}),
        json!({"status": "failed", "error": "no"}),
        json!({"status": "completed", "result": 7}),
    ] {
        let heard = Heard::default();
        let said = odd.clone();
        let host = one(by_hand(&heard, move |_| said.clone()));
        let failed = host.call_tool("s/long", json!({})).await.unwrap_err();
        assert_eq!(failed.kind(), ErrorKind::Internal, "{odd}: {failed}");
    }
    let host = one(by_hand(&Heard::default(), |_| json!({"status": "cancelled"})));
    let failed = host.call_tool("s/long", json!({})).await.unwrap_err();
    assert_eq!(failed.kind(), ErrorKind::Cancelled);
}

#[tokio::test]
async fn question_is_asked_once_per_key_and_a_limited_number_of_times() {
    let question = |key: &str| {
        let form = json!({"type": "object", "properties": {"name": {"type": "string"}}});
        let params = json!({"mode": "form", "message": key, "requestedSchema": form});
        json!({ key: {"method": "elicitation/create", "params": params} })
    };
    let asked = Arc::new(AtomicUsize::new(0));
    let host_of = |server: genkit::mcp::host::CustomTransport| {
        let asked = Arc::clone(&asked);
        let builder = McpHost::builder().server("s", server.protocol(ProtocolEra::Stateless));
        let builder = builder.on_elicit(move |_| {
            asked.fetch_add(1, Ordering::SeqCst);
            async { Elicited::Accepted(json!({"name": "x"})) }
        });
        builder.build().unwrap()
    };
    let heard = Heard::default();
    let host = host_of(by_hand(&heard, move |time| match time {
        1..=4 => json!({"status": "input_required", "inputRequests": question("k")}),
        _ => {
            json!({"status": "completed", "result": {"content": [{"type": "text", "text": "ok"}]}})
        }
    }));
    assert_eq!(host.call_tool("s/long", json!({})).await.unwrap(), "ok");
    assert_eq!((asked.load(Ordering::SeqCst), count(&heard, "tasks/update")), (1, 1));
    // With a new key each time, the host gives up.
    asked.store(0, Ordering::SeqCst);
    let host = host_of(by_hand(
        &Heard::default(),
        move |time| json!({"status": "input_required", "inputRequests": question(&format!("k{time}"))}),
    ));
    let failed = host.call_tool("s/long", json!({})).await.unwrap_err();
    assert_eq!(failed.kind(), ErrorKind::Aborted, "{failed}");
    assert_eq!(asked.load(Ordering::SeqCst), 80);
}
