//! Processes that are killed at each save and at system calls, with a real server.

#![cfg(target_os = "linux")] // the server package is only available for Linux
#![allow(clippy::unwrap_used, reason = "panics report the location")]

#[macro_use]
#[path = "../../../tests/behaviour/durable/handed_on.rs"]
mod handed_on;
#[path = "../../../tests/behaviour/durable/killed/calls.rs"]
mod calls;
#[path = "../../../tests/behaviour/durable/killed/everything.rs"]
mod everything;
#[path = "../../../tests/behaviour/durable/killed/process.rs"]
mod process;
mod server;
#[path = "../../../tests/behaviour/durable/killed/tasks.rs"]
mod tasks;
#[path = "../../../tests/behaviour/durable/killed/trials.rs"]
mod trials;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use genkit::durable::{RunId, RunStore};
use genkit_postgres::PostgresStore;

use self::calls::Fault;
use self::process::{Mortal, dies_at_each_save, run_alive};
use self::server::Server;
use self::trials::Work;

/// The environment variable with the URL of the server, for the process that is killed.
const URL: &str = "GENKIT_KILLED_URL";

/// The workers of a test perform all runs of a server, which may be the same for all tests.
static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// A temporary folder, which is removed when dropped.
struct Temp(PathBuf);

impl Temp {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("genkit-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }
}

impl AsRef<Path> for Temp {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

/// Runs as the killed process or as the test itself, so that both use the same server.
#[test]
fn process_that_is_killed_at_any_save_is_succeeded_with_postgres() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    if let Some(role) = Mortal::of_this() {
        return runtime.block_on(async {
            assert_eq!(role.kind, "postgres");
            let store = PostgresStore::connect(&std::env::var(URL).unwrap()).await.unwrap();
            role.play(Arc::new(store)).await;
        });
    }
    let _alone = ALONE.blocking_lock();
    let server = runtime.block_on(Server::start());
    let store = runtime.block_on(PostgresStore::connect(&server.url)).unwrap();
    let run = RunId::new("order-1").unwrap();
    let forget = || runtime.block_on(store.delete(&run)).unwrap();
    let temp = Temp::new("alive");
    forget();
    runtime.block_on(run_alive(Arc::new(store.clone()), &temp.0));
    let test = "process_that_is_killed_at_any_save_is_succeeded_with_postgres";
    dies_at_each_save(test, "postgres", [(URL, &*server.url)], |name| {
        forget();
        Temp::new(name)
    });
    forget();
}

/// Opens the store of the server with this URL.
async fn open_store(url: &str, _: &Path) -> Arc<dyn RunStore> {
    Arc::new(PostgresStore::connect(url).await.unwrap())
}

#[tokio::test]
async fn run_with_everything_survives_kills_with_postgres() {
    let _alone = ALONE.lock().await;
    let server = Server::start().await;
    trials::survives_kills(&server.url).await;
}

#[tokio::test]
async fn run_with_everything_survives_kills_at_system_calls_with_postgres() {
    let _alone = ALONE.lock().await;
    let server = Server::start().await;
    trials::survives_kills_at_calls(Work::Everything, &server.url).await;
}

#[tokio::test]
async fn task_survives_kills_at_system_calls_with_postgres() {
    let _alone = ALONE.lock().await;
    let server = Server::start().await;
    trials::survives_kills_at_calls(Work::Task, &server.url).await;
}

#[tokio::test]
async fn worker_continues_after_broken_connections_to_postgres() {
    let _alone = ALONE.lock().await;
    let server = Server::start().await;
    let faults = ["sendto", "recvfrom"].map(|call| Fault { call, error: "ECONNRESET", files: &[] });
    trials::survives_faults(&server.url, &faults).await;
}
