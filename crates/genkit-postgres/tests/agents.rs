//! Agents on Postgres whose process is killed repeatedly. `GENKIT_AGENT_KILLS=100` sets the number of kills.

#![cfg(target_os = "linux")] // the server package is only available for Linux
#![allow(clippy::unwrap_used, reason = "a panic shows where a test fails")]

#[path = "../../../tests/behaviour/durable/killed/agents.rs"]
mod killed;
mod server;

use std::path::Path;

use genkit_postgres::PostgresStore;

use self::server::Server;

/// The environment variable with the URL of the server, for the process that is killed.
const URL: &str = "GENKIT_KILLED_URL";

/// The code of the processes that are killed. It does nothing in an ordinary run of the tests.
#[tokio::test]
async fn child() {
    let Some(folder) = killed::folder_of_child() else { return };
    let store = PostgresStore::connect(&std::env::var(URL).unwrap()).await.unwrap();
    killed::work_until_killed(&folder, store).await;
}

#[tokio::test]
async fn agents_that_are_killed_again_and_again_lose_and_repeat_nothing_on_postgres() {
    let server = Server::start().await;
    let store = PostgresStore::connect(&server.url).await.unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("killed-agents-postgres");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    killed::survives_kills(&folder, Some((URL, &*server.url)), 5, store).await;
}
