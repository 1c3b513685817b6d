//! Stored sessions and turns that cannot be read do not affect others.

use genkit_core::{RunChange, RunFilter, RunId, RunStatus, RunStore as _};
use genkit_durable::FolderStore;

use super::hooked::Folder;
use super::search::{say, searching};
use super::tasks::{obedient, start_task};
use super::*;

/// Replaces the entries whose ids start with `prefix`, as if a newer version had written them.
async fn tear(store: &FolderStore, prefix: &str, which: impl Fn(&str) -> bool) -> usize {
    let mut torn = 0;
    for entry in store.list(&RunFilter::new().limit(usize::MAX)).await.unwrap() {
        // The journal of a turn may just have been removed.
        let Some(text) = store.load(&entry.id).await.unwrap() else { continue };
        if entry.id.as_str().starts_with(prefix) && which(&text.head) {
            let change = RunChange::new(RunStatus::Completed, r#"{"newer": true}"#);
            store.save(&entry.id, text.at.revision, &change).await.unwrap().unwrap();
            torn += 1;
        }
    }
    torn
}

#[tokio::test]
async fn search_finds_the_other_conversations() {
    let folder = Folder::new();
    let store = FolderStore::open(&folder.0).unwrap();
    let agent = Agent::builder("guide").model(searching()).search_conversations(true);
    let agent = agent.store(store.clone()).build().unwrap();
    say(&agent, "ann", "monday", "My cat is called Mia.").await;
    say(&agent, "ann", "sunday", "My cat sleeps.").await;
    assert_eq!(tear(&store, "agent-session-", |head| head.contains("monday")).await, 1);
    let found = say(&agent, "ann", "tuesday", "find cat").await;
    assert!(found.contains("sleeps") && !found.contains("Mia"), "{found}");
}

#[tokio::test]
async fn other_turns_are_resumed() {
    let folder = Folder::new();
    let store = FolderStore::open(&folder.0).unwrap();
    let agent = echo().store(store.clone()).build().unwrap();
    let name = crate::journal::journal_name("echo");
    let torn = RunChange::new(RunStatus::InputRequired, r#"{"newer": true}"#).with_name(name);
    // It is listed before the turn below.
    let first = RunId::new("agent-turn-0").unwrap();
    store.create(&first, &torn).await.unwrap();
    let input = AgentInput::from_message(Message::user("hello"));
    let run = agent.run(AgentInit::from_session("a"), [input]);
    run.keeps_turn().store(true, Ordering::SeqCst);
    run.await.unwrap();
    assert_eq!(agent.resume_turns().await.unwrap(), 1);
}

#[tokio::test]
async fn other_tasks_are_reported() {
    let folder = Folder::new();
    let store = FolderStore::open(&folder.0).unwrap();
    let worker = Agent::builder("worker").store(store.clone());
    let worker = worker.handler(|_: AgentTurn| async { Ok(Message::model("dug")) });
    let lead = Agent::builder("lead").model(obedient());
    let lead = lead.background_agents([worker.build().unwrap()]).build().unwrap();
    let torn = start_task(&lead).await;
    let other = loop {
        let other = start_task(&lead).await;
        if other != torn {
            break other;
        }
    };
    let ids = format!(r#"{{"taskIds": ["{torn}", "{other}"]}}"#);
    lead.session("a").send(format!("wait_for_background_tasks {ids}")).await.unwrap();
    assert_eq!(tear(&store, "agent-session-", |head| head.contains(&torn)).await, 1);
    for tool in ["check_background_tasks", "wait_for_background_tasks", "abort_background_tasks"] {
        let found = lead.session("a").send(format!("{tool} {ids}")).await.unwrap();
        let found: Value = serde_json::from_str(&found.text()).unwrap();
        let tasks = &found["tasks"];
        assert_eq!(
            (&tasks[0]["status"], &tasks[1]["status"]),
            (&json!("failed"), &json!("completed")),
            "{tool}"
        );
    }
}
