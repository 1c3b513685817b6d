//! The cost of durable runs on Postgres: the same benchmark as in `crates/genkit-sqlite`, with the server of the tests
//! or the server at `GENKIT_POSTGRES_URL`.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a command-line program")]

#[macro_use]
#[path = "../../../tests/behaviour/durable/handed_on.rs"]
mod handed_on;
#[path = "../../genkit-sqlite/benches/durable/measured.rs"]
mod measured;
#[path = "../tests/server/mod.rs"]
mod server;

use std::sync::Arc;

use genkit_postgres::PostgresStore;
use genkit_postgres::tokio_postgres::{self, NoTls};

#[tokio::main]
async fn main() {
    let is_quick = std::env::args().any(|argument| argument == "--quick");
    let server = server::Server::start().await;
    let (client, connection) = tokio_postgres::connect(&server.url, NoTls).await.unwrap();
    tokio::spawn(connection);
    let made = "CREATE TABLE IF NOT EXISTS bench_floor (id INT PRIMARY KEY, head TEXT); \
                INSERT INTO bench_floor VALUES (1, '') ON CONFLICT DO NOTHING";
    client.batch_execute(made).await.unwrap();
    let update = client.prepare("UPDATE bench_floor SET head = $1 WHERE id = 1").await.unwrap();
    let head = "x".repeat(1000);
    let commit = measured::mean(async || {
        client.execute(&update, &[&head]).await.unwrap();
    });
    let commit = commit.await;
    let store = Arc::new(PostgresStore::connect(&server.url).await.unwrap());
    let size = async || {
        let row = client.query_one("SELECT pg_database_size(current_database())", &[]).await;
        u64::try_from(row.unwrap().get::<_, i64>(0)).unwrap()
    };
    let suspended: &[usize] = if is_quick { &[1000] } else { &[10_000, 100_000] };
    measured::report("Postgres", store, commit, suspended, size).await;
    client.batch_execute("DROP TABLE bench_floor").await.unwrap();
}
