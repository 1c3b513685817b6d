//! What a store keeps of an owner, and what other owners can reach.

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use genkit_core::{RunFilter, RunStore as _};
use genkit_durable::FolderStore;
use tokio::sync::Notify;

use super::hooked::{Folder, Hooked};
use super::search::say;
use super::*;
use crate::run::{AgentRun, Caller};

/// If the session were loaded, its size would make the response take longer than that for an unknown session.
#[tokio::test]
async fn session_of_another_owner_is_never_loaded() {
    let folder = Folder::new();
    let store = Hooked::open(&folder.0);
    let agent = echo().store(store.clone()).build().unwrap();
    say(&agent, "ann", "monday", "hi").await;
    let newest = agent.load_snapshot(&AgentInit::from_session("monday"), "ann").await;
    let newest = newest.unwrap().unwrap().snapshot_id;
    let session = store.list(&RunFilter::new()).await.unwrap()[0].id.clone();
    let is_used = Arc::new(AtomicBool::new(false));
    let noted = Arc::clone(&is_used);
    store.set_hook(move |_, run| {
        noted.fetch_or(*run == session, Ordering::SeqCst);
        Box::pin(std::future::ready(Ok(())))
    });
    let (number, _) = newest.split_once('.').unwrap();
    for id in [newest.clone(), format!("{number}.{}", "0".repeat(32))] {
        for owner in ["bob", ""] {
            let init = AgentInit::from_snapshot(&*id);
            assert!(agent.load_snapshot(&init, owner).await.unwrap().is_none());
            assert!(agent.abort_snapshot(&id, owner).await.unwrap().is_none());
            let error = agent.wait_for(&id, Duration::ZERO, owner).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::NotFound);
            let caller = Caller { owner: owner.to_owned(), ..Caller::default() };
            let input = AgentInput::from_message(Message::user("hi"));
            let run = AgentRun::new(agent.clone(), init, vec![input], caller);
            assert!(run.output().await.unwrap().error.is_some());
        }
    }
    assert!(!is_used.load(Ordering::SeqCst));
    let own = agent.load_snapshot(&AgentInit::from_snapshot(newest), "ann").await;
    assert!(own.unwrap().is_some() && is_used.load(Ordering::SeqCst));
}

/// Cuts off a turn of ann, and continues it with a call of `user`. Returns the stored head of the turn, and the action
/// context of the continued turn.
async fn continue_turn(user: &str) -> (String, Value) {
    let folder = Folder::new();
    let store = FolderStore::open(&folder.0).unwrap();
    let (begun, seen) = (Arc::new(Notify::new()), Arc::new(Mutex::new(Vec::new())));
    let (entered, noted) = (Arc::clone(&begun), Arc::clone(&seen));
    let agent = Agent::builder("clerk").store(store.clone()).handler(move |turn: AgentTurn| {
        let mut seen = lock(&noted);
        seen.push(json!(turn.action_context()));
        let (is_first, entered) = (seen.len() == 1, Arc::clone(&entered));
        async move {
            if is_first {
                entered.notify_one();
                std::future::pending::<()>().await;
            }
            Ok(Message::model("done"))
        }
    });
    let agent = agent.build().unwrap();
    let call = |user: &str, key: &str| {
        let auth = json!({ "uid": user, "apiKey": key, "isToken": false });
        let context = json!({ "auth": auth, "secrets": { "db": format!("dsn-{key}") } });
        let caller = Caller {
            owner: "team".to_owned(),
            action_context: context.as_object().cloned().unwrap(),
            ..Caller::default()
        };
        let input = AgentInput::from_message(Message::user("hi"));
        AgentRun::new(agent.clone(), AgentInit::from_session("s"), vec![input], caller)
    };
    let first = call("ann", "first-key");
    first.keeps_turn().store(true, Ordering::SeqCst);
    let running = tokio::spawn(first.output());
    begun.notified().await;
    running.abort();
    assert!(running.await.is_err());
    let name = crate::journal::journal_name("clerk");
    let journal = store.list(&RunFilter::new().name(name)).await.unwrap()[0].id.clone();
    let head = store.load(&journal).await.unwrap().unwrap().head;
    let output = call(user, "second-key").output().await.unwrap();
    assert_eq!(output.message.unwrap().text(), "done");
    let continued = lock(&seen)[1].clone();
    (head, continued)
}

#[tokio::test]
async fn credentials_are_not_stored_with_a_turn() {
    let (head, continued) = continue_turn("ann").await;
    assert!(head.contains(r#""uid":"ann""#), "{head}");
    assert!(!head.contains("first-key"), "{head}");
    // The call that continues the turn has the same identity, so its credentials are used.
    assert_eq!(continued["auth"]["apiKey"], "second-key");
    assert_eq!(continued["secrets"]["db"], "dsn-second-key");
}

#[tokio::test]
async fn turn_continued_by_another_user_has_no_credentials() {
    let (_, continued) = continue_turn("bob").await;
    assert_eq!(continued, json!({ "auth": { "uid": "ann", "isToken": false } }));
}
