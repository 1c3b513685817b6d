//! 10,000 sessions that wait for their users, on SQLite: they hold no task, no timer and no file, and hardly any memory.

#![allow(clippy::unwrap_used, reason = "a panic shows where a test fails")]

use std::path::Path;

use genkit::model::from_fn;
use genkit::sessions::{Agent, AgentSession};
use genkit_sqlite::SqliteStore;
use tokio::task::JoinSet;

const SESSIONS: usize = 10_000;

/// The maximum memory of an idle session, in bytes, including the id that the program keeps. About 300 bytes are used.
const MAX_BYTES: u64 = 4 * 1024;

/// Returns the memory of this process in bytes. `None` on systems other than Linux.
fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}

fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

/// Sends a message in each of these sessions.
async fn open_sessions(agent: &Agent, numbers: std::ops::Range<usize>) -> Vec<AgentSession> {
    let (mut turns, mut sessions) = (JoinSet::new(), Vec::new());
    for number in numbers {
        let session = agent.session(format!("user-{number}"));
        sessions.push(session.clone());
        turns.spawn(async move { session.send("hello").await.unwrap() });
        if turns.len() >= 64 {
            turns.join_next().await.unwrap().unwrap();
        }
    }
    while turns.join_next().await.transpose().unwrap().is_some() {}
    sessions
}

#[tokio::test]
async fn ten_thousand_idle_sessions_on_sqlite_hold_nothing() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("idle-sessions");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let store = SqliteStore::open(folder.join("sessions.db")).unwrap();
    let model = from_fn("echo", |_, _| async { "hi" });
    let agent = Agent::builder("idle").model(model).store(store).build().unwrap();
    // The first sessions fill the caches of the allocator and of SQLite.
    open_sessions(&agent, 0..SESSIONS / 10).await;
    let (before, files) = (memory(), open_files());
    let sessions = open_sessions(&agent, SESSIONS / 10..SESSIONS + SESSIONS / 10).await;
    let tasks = tokio::runtime::Handle::current().metrics().num_alive_tasks();
    assert!(tasks < 10, "{tasks} tasks for {SESSIONS} sessions");
    assert!(open_files() < files + 10, "{} files, {files} before", open_files());
    if let (Some(before), Some(after)) = (before, memory()) {
        let each = after.saturating_sub(before) / SESSIONS as u64;
        eprintln!("{each} bytes for each of {SESSIONS} idle sessions");
        assert!(each < MAX_BYTES, "{each} bytes for each idle session");
    }
    // Each session can be used as before.
    assert_eq!(sessions[SESSIONS - 1].messages().await.unwrap().len(), 2);
    std::fs::remove_dir_all(folder).unwrap();
}
