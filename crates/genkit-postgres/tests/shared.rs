//! The guarantees of durable runs on Postgres: failing saves, and two workers.

#![cfg(target_os = "linux")] // the server package is only available for Linux
#![allow(clippy::unwrap_used, reason = "panics report the location")]

#[macro_use]
#[path = "../../../tests/behaviour/durable/handed_on.rs"]
mod handed_on;
#[path = "../../../tests/behaviour/durable/child_signals.rs"]
mod child_signals;
#[path = "../../../tests/behaviour/durable/failing_saves.rs"]
mod failing_saves;
#[path = "../../../tests/behaviour/durable/failing_store.rs"]
mod failing_store;
mod server;
#[path = "../../../tests/behaviour/durable/two_workers.rs"]
mod two_workers;
#[path = "../../../tests/behaviour/durable/world.rs"]
mod world;

use genkit_postgres::PostgresStore;

use self::server::Server;

/// Returns a unique name, since a server given by URL may contain runs of other tests.
fn unique(name: &str) -> String {
    format!("{name}-{}", std::process::id())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn save_that_fails_at_any_time_loses_nothing() {
    let server = Server::start().await;
    let (store, name) = (PostgresStore::connect(&server.url).await.unwrap(), unique("failing"));
    failing_saves::a_save_that_fails_once_changes_nothing(store.clone(), &name).await;
    failing_saves::a_store_that_is_down_loses_nothing(store, &name).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_workers_settle_each_step_once() {
    let server = Server::start().await;
    let mut stores = Vec::new();
    for _ in 0..3 {
        stores.push(PostgresStore::connect(&server.url).await.unwrap());
    }
    let next = std::sync::atomic::AtomicUsize::new(0);
    let open = || stores[next.fetch_add(1, std::sync::atomic::Ordering::SeqCst)].clone();
    two_workers::two_workers_settle_each_step_once(open, &unique("workers")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn signal_reaches_a_child_and_its_result_the_parent() {
    let server = Server::start().await;
    let store = PostgresStore::connect(&server.url).await.unwrap();
    let run = unique("parent");
    child_signals::signal_reaches_a_child_and_its_result_the_parent(|| store.clone(), &run).await;
}
