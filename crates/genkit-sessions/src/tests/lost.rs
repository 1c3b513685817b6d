//! Processes that lose their session, and stores that fail.

use genkit_core::{Error, RunStore};
use genkit_durable::FolderStore;

use super::hooked::{Folder, Hooked};
use super::*;
use crate::store::{SessionKey, Sessions};

fn user(text: &str) -> AgentInput {
    AgentInput::from_message(Message::user(text))
}

async fn texts_of(agent: &Agent) -> Vec<String> {
    agent.session("a").messages().await.unwrap().iter().map(Message::text).collect()
}

#[tokio::test]
async fn turn_whose_end_is_not_saved_is_continued_before_the_next_input() {
    let folder = Folder::new();
    let store = Hooked::open(&folder.0);
    let (hangs, works) = (Arc::new(AtomicUsize::new(1)), Arc::new(AtomicUsize::new(0)));
    let (hanging, working) = (Arc::clone(&hangs), Arc::clone(&works));
    let agent = Agent::builder("clerk").store(store.clone()).handler(move |turn: AgentTurn| {
        let (hangs, works) = (Arc::clone(&hanging), Arc::clone(&working));
        async move {
            let text = turn.input().message.as_ref().map(Message::text).unwrap_or_default();
            if text == "hang" {
                let work = async { Ok::<_, Error>(works.fetch_add(1, Ordering::SeqCst)) };
                turn.context().once("work", work).await?;
                if hangs.swap(0, Ordering::SeqCst) > 0 {
                    std::future::pending::<()>().await;
                }
            }
            Ok(Message::model(format!("done {text}")))
        }
    });
    let agent = agent.build().unwrap();
    let run = agent.run(AgentInit::from_session("a"), [user("hang")]);
    run.keeps_turn().store(true, Ordering::SeqCst);
    let begun = async {
        while hangs.load(Ordering::SeqCst) > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        _ = run.output() => panic!("the turn hangs"),
        () = begun => {}
    }
    for operation in ["session", "turn"] {
        // Saving the end of the turn fails, and then saving its continuation fails.
        let failing = format!("agent-{operation}-");
        store.fail(move |operation, run| operation == "save" && run.starts_with(&failing));
        let error = agent.session("a").send("two").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
    }
    store.fail(|_, _| false);
    agent.session("a").send("three").await.unwrap();
    assert_eq!(texts_of(&agent).await, ["hang", "done hang", "three", "done three"]);
    assert_eq!(works.load(Ordering::SeqCst), 1);
}

fn begun(id: String, text: &str) -> crate::journal::StartedTurn {
    let turn = json!({ "id": id, "created": 0, "input": user(text) });
    serde_json::from_value(turn).unwrap()
}

/// The sessions of two processes, the first of which loses its lease immediately, and the key of a session.
fn two_processes(folder: &Folder) -> (Arc<Sessions>, Arc<Sessions>, SessionKey) {
    let sessions = |lease| {
        let store: Arc<dyn RunStore> = Arc::new(FolderStore::open(&folder.0).unwrap());
        Arc::new(Sessions::new(Some(store), "clerk".into(), lease))
    };
    let key = SessionKey::new("clerk", "", "a").unwrap();
    (sessions(Duration::from_millis(1)), sessions(Duration::from_secs(300)), key)
}

#[tokio::test]
async fn process_without_the_session_does_not_begin_a_turn() {
    let (folder, wait, keeps) = (Folder::new(), Duration::from_secs(60), Arc::default());
    let (slow, fast, key) = two_processes(&folder);
    let mut lost =
        slow.enter(key.clone(), "a", &crate::run::Caller::default(), wait).await.unwrap();
    lost.keep_turn(&mut begun(lost.new_snapshot(), "one"), false, &keeps).await.unwrap();
    lost.end_turn().await;
    let mut owner =
        fast.enter(key.clone(), "a", &crate::run::Caller::default(), wait).await.unwrap();
    let id = owner.new_snapshot();
    owner.keep_turn(&mut begun(id.clone(), "two"), false, &keeps).await.unwrap();
    let mut late = begun(lost.new_snapshot(), "late");
    let error = lost.keep_turn(&mut late, false, &keeps).await.map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Aborted);
    lost.release().await;
    let (kept, _) = owner.find_begun().await.unwrap().unwrap();
    assert_eq!(kept.id, id);
}

#[tokio::test]
async fn save_whose_caller_is_dropped_is_finished() {
    let folder = Folder::new();
    let store = Hooked::open(&folder.0);
    let (saving, gate) =
        (Arc::new(tokio::sync::Notify::new()), Arc::new(tokio::sync::Semaphore::new(0)));
    let (entered, opened) = (Arc::clone(&saving), Arc::clone(&gate));
    store.set_hook(move |operation, run| {
        let is_journal = operation == "save" && run.to_string().starts_with("agent-turn-");
        let (entered, opened) = (Arc::clone(&entered), Arc::clone(&opened));
        Box::pin(async move {
            if is_journal {
                entered.notify_one();
                let _permit = opened.acquire().await.unwrap();
            }
            Ok(())
        })
    });
    let agent = Agent::builder("clerk").store(store).handler(move |turn: AgentTurn| {
        let (saving, gate) = (Arc::clone(&saving), Arc::clone(&gate));
        async move {
            let work = |text: &'static str| async move { Ok::<_, Error>(text.to_owned()) };
            tokio::select! {
                _ = turn.context().once("one", work("one")) => panic!("the save waits"),
                () = saving.notified() => {}
            }
            gate.add_permits(1);
            let two = turn.context().once("two", work("two")).await?;
            Ok(Message::model(two))
        }
    });
    let agent = agent.build().unwrap();
    assert_eq!(agent.session("a").send("go").await.unwrap().text(), "two");
}

fn ended(turn: &crate::journal::StartedTurn, text: &str) -> crate::store::Entry {
    let entry = json!({
        "id": turn.id, "created": 0, "updated": 0, "status": "completed",
        "messages": [Message::model(text)],
    });
    serde_json::from_value(entry).unwrap()
}

#[tokio::test]
async fn process_without_the_session_does_not_replace_the_turn_of_another() {
    let (folder, wait, keeps) = (Folder::new(), Duration::from_secs(60), Arc::default());
    let (slow, fast, key) = two_processes(&folder);
    let mut lost =
        slow.enter(key.clone(), "a", &crate::run::Caller::default(), wait).await.unwrap();
    let mut turn = begun(lost.new_snapshot(), "one");
    lost.keep_turn(&mut turn, false, &keeps).await.unwrap();
    let mut owner =
        fast.enter(key.clone(), "a", &crate::run::Caller::default(), wait).await.unwrap();
    let (mut continued, _) = owner.find_begun().await.unwrap().unwrap();
    owner.keep_turn(&mut continued, true, &keeps).await.unwrap();
    owner.save(ended(&continued, "continued")).await.unwrap();
    owner.release().await;

    // No process holds the session now, so its lease can be renewed.
    let watched = tokio::time::timeout(wait, lost.watch(None)).await;
    assert!(!watched.unwrap(), "the session is lost, and the turn is not aborted");
    assert!(lost.is_lost().await);
    let error = lost.save(ended(&turn, "late")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Aborted);
    let record = fast.load(&key.run, "").await.unwrap().unwrap();
    let state = record.rebuild_state(record.newest().unwrap()).unwrap();
    assert_eq!(state.messages[0].text(), "continued");
}

#[tokio::test]
async fn process_without_the_session_leaves_the_journal_of_another() {
    for is_dropped in [true, false] {
        let (folder, wait, keeps) = (Folder::new(), Duration::from_secs(60), Arc::default());
        let (slow, fast, key) = two_processes(&folder);
        let mut lost =
            slow.enter(key.clone(), "a", &crate::run::Caller::default(), wait).await.unwrap();
        lost.keep_turn(&mut begun(lost.new_snapshot(), "one"), false, &keeps).await.unwrap();
        let mut owner =
            fast.enter(key.clone(), "a", &crate::run::Caller::default(), wait).await.unwrap();
        let (mut continued, _) = owner.find_begun().await.unwrap().unwrap();
        owner.keep_turn(&mut continued, true, &keeps).await.unwrap();
        match is_dropped {
            true => drop(lost),
            false => lost.release().await,
        }
        // A released session has no gate.
        while !lock(&slow.gates).is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert!(owner.find_begun().await.unwrap().is_some(), "is_dropped: {is_dropped}");
        owner.save(ended(&continued, "continued")).await.unwrap();
    }
}

#[tokio::test]
async fn effect_waits_for_the_lease_and_is_left_to_the_process_that_has_it() {
    let (folder, works) = (Folder::new(), Arc::new(AtomicUsize::new(0)));
    let store = Hooked::open(&folder.0);
    let begins = Arc::new(tokio::sync::Notify::new());
    let new_agent = |store: Hooked, cut: Option<(Hooked, Arc<tokio::sync::Notify>)>| {
        let works = Arc::clone(&works);
        let agent = Agent::builder("clerk").lease(Duration::from_millis(300)).store(store);
        let agent = agent.handler(move |turn: AgentTurn| {
            let (works, cut) = (Arc::clone(&works), cut.clone());
            async move {
                if let Some((store, begins)) = cut {
                    store.fail(|_, _| true);
                    // The lease ends in the meantime.
                    tokio::time::sleep(Duration::from_millis(600)).await;
                    begins.notify_one();
                }
                let work = async { Ok::<_, Error>(works.fetch_add(1, Ordering::SeqCst)) };
                turn.context().once("work", work).await?;
                Ok(Message::model("done"))
            }
        });
        agent.build().unwrap()
    };
    let cut = new_agent(store.clone(), Some((store.clone(), Arc::clone(&begins))));
    let first = tokio::spawn(cut.session("a").send("go").output());
    begins.notified().await;
    let other = new_agent(Hooked::open(&folder.0), None);
    assert_eq!(other.session("a").send("go").await.unwrap().text(), "done");
    store.fail(|_, _| false);
    assert_eq!(first.await.unwrap().unwrap_err().kind(), ErrorKind::Aborted);
    assert_eq!(works.load(Ordering::SeqCst), 1);
    assert_eq!(texts_of(&other).await, ["go", "done"]);
}
