//! Sessions that wait for their users hold no task and no file.

#![allow(clippy::unwrap_used, reason = "a panic shows where a test fails")]

use genkit::durable::FolderStore;
use genkit::sessions::Agent;
use genkit::testing::ScriptedModel;

const SESSIONS: usize = 300;

/// Returns the number of open files of this process. 0 on systems other than Linux.
fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

#[tokio::test]
async fn idle_sessions_hold_no_tasks_and_no_files() {
    let folder = std::env::temp_dir().join(format!("genkit-idle-{}", std::process::id()));
    let model = ScriptedModel::texts(vec!["hi"; SESSIONS + 1]);
    let store = FolderStore::open(&folder).unwrap();
    let agent = Agent::builder("idle").model(model).store(store).build().unwrap();
    let mut sessions = vec![agent.session("first")];
    sessions[0].send("hello").await.unwrap();
    let files = open_files();
    for number in 0..SESSIONS {
        let session = agent.session(format!("user-{number}"));
        session.send("hello").await.unwrap();
        sessions.push(session);
    }
    let (tasks, now) =
        (tokio::runtime::Handle::current().metrics().num_alive_tasks(), open_files());
    // Each session can be used as before.
    assert_eq!(sessions[SESSIONS].messages().await.unwrap().len(), 2);
    std::fs::remove_dir_all(folder).unwrap();
    assert!(tasks < 10, "{tasks} tasks for {SESSIONS} sessions");
    assert!(now < files + 10, "{now} files, {files} with one session");
}
