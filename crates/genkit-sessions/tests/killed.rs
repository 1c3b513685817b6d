//! A session whose process is killed during a turn: the next call continues the turn from its last step.

#![allow(clippy::unwrap_used, reason = "a panic shows where a test fails")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use genkit::durable::FolderStore;
use genkit::sessions::{Agent, AgentInput, AgentTurn, SnapshotStatus};
use genkit::{Message, Result};

/// The environment variable with the folder, for the process that is killed.
const FOLDER: &str = "GENKIT_TEST_KILLED";

/// An agent that hangs in the first process, after it has saved a result.
fn agent(folder: &Path) -> Result<Agent> {
    let folder = folder.to_owned();
    Agent::builder("clerk")
        .store(FolderStore::open(folder.join("runs"))?)
        .queue_timeout(Duration::from_secs(300))
        .lease(Duration::from_millis(500))
        .custom(0)
        .handler(move |turn: AgentTurn| {
            let (mark, first) = (folder.join("in-turn"), folder.join("first"));
            async move {
                let text = turn.input().message.as_ref().map(Message::text).unwrap_or_default();
                let count = turn.custom::<u32>()? + 1;
                turn.set_custom(count).await?;
                let work = async || {
                    assert!(!first.exists(), "a saved result is never repeated");
                    std::fs::write(&first, "")
                };
                if text == "hang" {
                    turn.context().once("work", work()).await?;
                    if !mark.exists() {
                        std::fs::write(mark, "")?;
                        std::future::pending::<()>().await;
                    }
                }
                Ok(Message::model(format!("done {text}")))
            }
        })
        .build()
}

fn hang() -> AgentInput {
    AgentInput::from_message(Message::user("hang"))
}

/// The part of the process that is killed. It does nothing in an ordinary run of the tests.
#[tokio::test]
async fn child() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let folder = PathBuf::from(folder);
    let session = agent(&folder).unwrap().session("user 7 / ..");
    session.send("one").await.unwrap();
    if folder.ends_with("detached") {
        let pending = session.send_input(hang().detached(true)).await.unwrap();
        std::fs::write(folder.join("pending"), pending.snapshot_id.unwrap()).unwrap();
        std::future::pending::<()>().await;
    }
    session.send_input(hang()).await.unwrap();
}

/// Runs the child in a new folder for the test until it hangs, and kills it. With `detached`, its turn runs in the
/// background.
async fn kill_child(test: &str, name: &str) -> PathBuf {
    let folder =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join("killed-session").join(test).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child"])
        .env(FOLDER, &folder)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(120);
    let is_there = |file: &str| folder.join(file).exists();
    while !(is_there("in-turn") && (name != "detached" || is_there("pending"))) {
        assert!(Instant::now() < deadline, "the turn does not begin");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    child.kill().unwrap();
    child.wait().unwrap();
    folder
}

async fn texts(agent: &Agent) -> Vec<String> {
    let messages = agent.session("user 7 / ..").messages().await.unwrap();
    messages.iter().map(Message::text).collect()
}

#[tokio::test]
async fn a_killed_turn_is_continued_before_the_next_message() {
    let agent = agent(&kill_child("next", "waited").await).unwrap();
    let session = agent.session("user 7 / ..");
    assert_eq!(session.send("three").await.unwrap().text(), "done three");
    let wanted = ["one", "done one", "hang", "done hang", "three", "done three"];
    assert_eq!(texts(&agent).await, wanted);
    assert_eq!(session.custom::<u32>().await.unwrap(), 3);
}

#[tokio::test]
async fn a_message_that_is_sent_again_after_a_crash_is_one_turn() {
    let agent = agent(&kill_child("same", "waited").await).unwrap();
    let session = agent.session("user 7 / ..");
    assert_eq!(session.send_input(hang()).await.unwrap().text(), "done hang");
    assert_eq!(texts(&agent).await, ["one", "done one", "hang", "done hang"]);
    session.send("three").await.unwrap();
    assert_eq!(texts(&agent).await.len(), 6, "nothing is continued twice");
}

#[tokio::test]
async fn a_turn_in_the_background_is_continued_by_the_process_that_waits_for_it() {
    let folder = kill_child("waits", "detached").await;
    let agent = agent(&folder).unwrap();
    let pending = std::fs::read_to_string(folder.join("pending")).unwrap();
    let ended = agent.wait_for_snapshot(&pending, Duration::from_secs(120)).await.unwrap();
    assert_eq!(ended.status, SnapshotStatus::Completed);
    assert_eq!(texts(&agent).await, ["one", "done one", "hang", "done hang"]);
}

#[tokio::test]
async fn program_that_starts_continues_all_turns() {
    let agent = agent(&kill_child("starts", "detached").await).unwrap();
    assert_eq!(agent.resume_turns().await.unwrap(), 1);
    let deadline = Instant::now() + Duration::from_secs(120);
    while texts(&agent).await.last().is_none_or(|last| last != "done hang") {
        assert!(Instant::now() < deadline, "the turn is not continued");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    while agent.resume_turns().await.unwrap() > 0 {
        assert!(Instant::now() < deadline, "the journal is not removed");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(texts(&agent).await, ["one", "done one", "hang", "done hang"]);
}
