//! A session whose process is killed in a turn: the turn is lost, and nothing that was acknowledged.

#![allow(clippy::unwrap_used, reason = "a panic shows where a test fails")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use genkit::durable::FolderStore;
use genkit::message::Role;
use genkit::sessions::{Agent, AgentInput, AgentTurn, SnapshotStatus};
use genkit::{Message, Result};

/// The variable with the folder, for the process that is killed.
const FOLDER: &str = "GENKIT_TEST_KILLED";

fn agent(folder: &Path) -> Result<Agent> {
    let mark = folder.join("in-turn");
    Agent::builder("clerk")
        .store(FolderStore::open(folder.join("runs"))?)
        .queue_timeout(Duration::from_secs(300))
        .custom(0)
        .handler(move |turn: AgentTurn| {
            let mark = mark.clone();
            async move {
                let text = turn.input().message.as_ref().map(Message::text).unwrap_or_default();
                turn.set_custom(turn.custom::<u32>()? + 1).await?;
                if text == "hang" {
                    std::fs::write(mark, "")?;
                    std::future::pending::<()>().await;
                }
                Ok(Message::model(format!("done {text}")))
            }
        })
        .build()
}

/// The part of the process that is killed. It does nothing in an ordinary run of the tests.
#[tokio::test]
async fn child() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let folder = PathBuf::from(folder);
    let session = agent(&folder).unwrap().session("user 7 / ..");
    session.send("one").await.unwrap();
    session.send("two").await.unwrap();
    let hang = AgentInput::from_message(Message::user("hang")).detached(true);
    let pending = session.send_input(hang).await.unwrap().snapshot_id.unwrap();
    std::fs::write(folder.join("pending"), pending).unwrap();
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn a_killed_turn_loses_nothing_that_was_acknowledged() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("killed-session");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child"])
        .env(FOLDER, &folder)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(120);
    while !(folder.join("in-turn").exists() && folder.join("pending").exists()) {
        assert!(Instant::now() < deadline, "the turn does not begin");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    child.kill().unwrap();
    child.wait().unwrap();

    let agent = agent(&folder).unwrap();
    let pending = std::fs::read_to_string(folder.join("pending")).unwrap();
    let session = agent.session("user 7 / ..");
    let output = session.send("three").await.unwrap();
    assert_eq!(output.text(), "done three");
    let messages = session.messages().await.unwrap();
    let texts: Vec<String> = messages.iter().map(Message::text).collect();
    assert_eq!(texts, ["one", "done one", "two", "done two", "three", "done three"]);
    assert_eq!(messages[4].role, Role::User);
    assert_eq!(session.custom::<u32>().await.unwrap(), 3);
    let lost = agent.snapshot(&pending).await.unwrap().unwrap();
    assert_eq!(lost.status, SnapshotStatus::Expired);
}
