//! Tasks in the background whose processes or stores fail.

use std::sync::atomic::AtomicBool;

use genkit_core::{ModelResponse, ToolRequest};
use tokio::sync::Notify;

use super::hooked::{Folder, Hooked};
use super::*;

/// A model that calls the tool that the message names (`NAME ARGUMENTS`), and responds with the result.
fn obedient() -> genkit_model::FnModel {
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
async fn start_task(lead: &Agent) -> String {
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

    // The process of the lead ends after it has sent the work, and before it has saved that.
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
