//! Background tasks whose processes or stores fail.

use std::sync::atomic::AtomicBool;

use genkit_core::{ModelResponse, ToolRequest};
use tokio::sync::Notify;

use super::hooked::{Folder, Hooked};
use super::*;

/// A model that calls the tool that the message names (`NAME ARGUMENTS`), and responds with the result.
pub(super) fn obedient() -> genkit_model::FnModel {
    genkit_model::from_fn("obedient", |request, _| async move {
        let last = request.messages.last().unwrap();
        if let Some(result) = last.tool_responses().next() {
            return ModelResponse::from_text(result.output.to_string());
        }
        let text = last.text();
        let (name, input) = text.split_once(' ').unwrap();
        let input: Value = serde_json::from_str(input).unwrap();
        ModelResponse::from_tool_requests([ToolRequest::new(name, input)])
    })
}

/// Starts a task in the session `a`, and returns its id.
pub(super) async fn start_task(lead: &Agent) -> String {
    let started = lead.session("a").send(r#"delegate_to_worker {"task": "dig"}"#).await.unwrap();
    let started: Value = serde_json::from_str(&started.text()).unwrap();
    started["taskId"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn task_that_was_continued_before_a_crash_is_not_given_the_work_again() {
    let folder = Folder::new();
    let (works, is_sent) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let worker_store = Hooked::open(&folder.0);
    let working = Arc::clone(&works);
    let worker =
        Agent::builder("worker").store(worker_store.clone()).handler(move |_: AgentTurn| {
            working.fetch_add(1, Ordering::SeqCst);
            async { Ok(Message::model("dug")) }
        });
    let lead_store = Hooked::open(&folder.0);
    let lead = Agent::builder("lead")
        .model(obedient())
        .background_agents([worker.build().unwrap()])
        .store(lead_store.clone());
    let lead = lead.build().unwrap();
    let id = start_task(&lead).await;
    let wait = format!(r#"wait_for_background_tasks {{"taskIds": ["{id}"]}}"#);
    lead.session("a").send(&*wait).await.unwrap();

    // The process of the lead ends after it has sent the work, and before it has saved the call.
    let sent = Arc::clone(&is_sent);
    worker_store.set_hook(move |operation, run| {
        if operation == "save" && run.to_string().starts_with("agent-session-") {
            sent.store(true, Ordering::SeqCst);
        }
        Box::pin(std::future::ready(Ok(())))
    });
    let stuck = Arc::new(Notify::new());
    let notified = Arc::clone(&stuck);
    lead_store.set_hook(move |operation, run| {
        let is_journal = operation == "save" && run.to_string().starts_with("agent-turn-");
        if is_journal && is_sent.load(Ordering::SeqCst) {
            notified.notify_one();
            return Box::pin(std::future::pending());
        }
        Box::pin(std::future::ready(Ok(())))
    });
    let more = format!(r#"continue_task {{"taskId": "{id}", "instructions": "fill"}}"#);
    let input = AgentInput::from_message(Message::user(&*more));
    let run = lead.run(AgentInit::from_session("a"), [input.clone()]);
    run.keeps_turn().store(true, Ordering::SeqCst);
    tokio::select! {
        _ = run.output() => panic!("the save hangs"),
        () = stuck.notified() => {}
    }
    lead_store.fail(|_, _| false);
    while works.load(Ordering::SeqCst) < 2 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    lead.run(AgentInit::from_session("a"), [input]).await.unwrap().into_result().unwrap();
    lead.session("a").send(&*wait).await.unwrap();
    assert_eq!(works.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn turn_in_the_background_that_is_too_large_fails() {
    let agent = Agent::builder("large")
        .handler(|_: AgentTurn| async { Ok(Message::model("x".repeat(33 * 1024 * 1024))) });
    let agent = agent.build().unwrap();
    let input = AgentInput::from_message(Message::user("go")).detached(true);
    let output = agent.session("a").send_input(input).await.unwrap();
    let id = output.snapshot_id.unwrap();
    let snapshot = agent.wait_for_snapshot(&id, Duration::from_secs(60)).await.unwrap();
    assert_eq!(snapshot.status, SnapshotStatus::Failed);
    assert!(snapshot.error.unwrap().message.contains("is larger than the limit"));
    assert!(snapshot.state.messages.is_empty());
}

#[tokio::test]
async fn waiting_for_a_task_loads_it_once_per_round() {
    let folder = Folder::new();
    let store = Hooked::open(&folder.0);
    let worker = Agent::builder("worker").store(store.clone()).handler(|_: AgentTurn| async {
        std::future::pending::<()>().await;
        Ok(Message::model("dug"))
    });
    let worker = worker.build().unwrap();
    let lead = Agent::builder("lead").model(obedient()).background_agents([worker]);
    let lead = lead.build().unwrap();
    let id = start_task(&lead).await;
    let loads = Arc::new(AtomicUsize::new(0));
    let loading = Arc::clone(&loads);
    store.set_hook(move |operation, run| {
        if operation == "load" && run.to_string().starts_with("agent-session-") {
            loading.fetch_add(1, Ordering::SeqCst);
        }
        Box::pin(std::future::ready(Ok(())))
    });
    let wait = format!(r#"wait_for_background_tasks {{"taskIds": ["{id}"], "timeoutSeconds": 2}}"#);
    let waited = lead.session("a").send(wait).await.unwrap();
    assert!(waited.text().contains("pending"), "{waited:?}");
    // After 0, 0.1, 0.3, 0.7, 1.5 and 2 seconds.
    let loads = loads.load(Ordering::SeqCst);
    assert!((1..=6).contains(&loads), "{loads}");
}

#[tokio::test]
async fn task_whose_end_cannot_be_saved_is_continued_with_growing_pauses() {
    let folder = Folder::new();
    let store = Hooked::open(&folder.0);
    let works = Arc::new(AtomicUsize::new(0));
    let (failing, working) = (store.clone(), Arc::clone(&works));
    let worker = Agent::builder("worker").store(store).handler(move |_: AgentTurn| {
        let (store, works) = (failing.clone(), Arc::clone(&working));
        async move {
            store.fail(|operation, run| operation == "save" && run.starts_with("agent-session-"));
            works.fetch_add(1, Ordering::SeqCst);
            Ok(Message::model("dug"))
        }
    });
    let worker = worker.build().unwrap();
    let lead = Agent::builder("lead").model(obedient()).background_agents([worker]);
    let lead = lead.build().unwrap();
    let id = start_task(&lead).await;
    let wait = format!(r#"wait_for_background_tasks {{"taskIds": ["{id}"], "timeoutSeconds": 2}}"#);
    let waited = lead.session("a").send(wait).await.unwrap();
    assert!(waited.text().contains("pending"), "{waited:?}");
    let works = works.load(Ordering::SeqCst);
    assert!((1..=2).contains(&works), "{works}");
}
