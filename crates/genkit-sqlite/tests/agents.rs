//! Agents on SQLite whose process is killed repeatedly. `GENKIT_AGENT_KILLS=100` sets the number of kills.

#![allow(clippy::unwrap_used, reason = "a panic shows where a test fails")]

#[path = "../../../tests/behaviour/durable/killed/agents.rs"]
mod killed;

use std::path::Path;

use genkit_sqlite::SqliteStore;

fn store(folder: &Path) -> SqliteStore {
    SqliteStore::open(folder.join("sessions.db")).unwrap()
}

/// The code of the processes that are killed. It does nothing in an ordinary run of the tests.
#[tokio::test]
async fn child() {
    let Some(folder) = killed::folder_of_child() else { return };
    killed::work_until_killed(&folder, store(&folder)).await;
}

#[tokio::test]
async fn agents_that_are_killed_again_and_again_lose_and_repeat_nothing() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("killed-agents");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    killed::survives_kills(&folder, None, 20, store(&folder)).await;
}
