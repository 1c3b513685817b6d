//! The searches of workers and operators use indexes, so that they do not slow down with the number of runs.

#![cfg(target_os = "linux")] // the server package is only available for Linux
#![allow(clippy::unwrap_used, reason = "panics report the location")]

mod server;
#[path = "../src/statements.rs"]
#[expect(dead_code, reason = "the other statements are not explained here")]
mod statements;

use genkit::durable::{RunFilter, RunStore as _};
use genkit_postgres::PostgresStore;
use genkit_postgres::tokio_postgres::{self, Client, NoTls};

use self::server::Server;

/// The number of sleeping runs.
const RUNS: usize = 20_000;

async fn explain(client: &Client, statement: &str) -> String {
    let rows = client.query(&format!("EXPLAIN ANALYZE {statement}"), &[]).await.unwrap();
    rows.iter().map(|row| row.get::<_, String>(0) + "\n").collect()
}

#[tokio::test]
async fn searches_do_not_read_all_runs() {
    let server = Server::start().await;
    let store = PostgresStore::connect(&server.url).await.unwrap();
    let (client, connection) = tokio_postgres::connect(&server.url, NoTls).await.unwrap();
    tokio::spawn(connection);
    let prefix = format!("plans-{}", std::process::id());
    let insert = format!(
        "INSERT INTO genkit_runs (id, revision, status, wake_at, head, tags)
         SELECT '{prefix}-' || n, 1, 'working', 9000000000000000, '{{}}', ARRAY['{prefix}-' || n]
         FROM generate_series(1, {RUNS}) n"
    );
    client.batch_execute(&format!("{insert}; ANALYZE genkit_runs")).await.unwrap();

    let due = explain(&client, &statements::DUE.replace("$1", "16")).await;
    assert!(due.contains("genkit_runs_due") && due.contains("Index Cond"), "{due}");
    assert_eq!(store.due(16).await.unwrap(), []);

    client.batch_execute(&format!("PREPARE list AS {}", statements::LIST)).await.unwrap();
    let tag = format!("{prefix}-7");
    let list = format!("EXECUTE list ('', false, NULL, NULL, '{tag}', NULL, NULL, NULL, 100)");
    let list = explain(&client, &list).await;
    assert!(list.contains("genkit_runs_tags"), "{list}");
    // The server keeps using the index after it has planned the statement several times.
    for _ in 0..10 {
        let found = store.list(&RunFilter::new().tag(&*tag)).await.unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].id.as_str(), tag);
    }
    client
        .batch_execute(&format!("DELETE FROM genkit_runs WHERE id LIKE '{prefix}-%'"))
        .await
        .unwrap();
}
