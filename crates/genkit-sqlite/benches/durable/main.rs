//! The cost of durable runs on this store and on a folder of files: steps, bytes, suspended runs, and growth.
//!
//! `cargo bench -p genkit-sqlite --bench durable` prints the results of one run, and the ratio of each step to a single
//! commit of the same size on the same disk. It does not enforce limits. `-- --quick` uses fewer suspended runs.
//! Postgres has the same benchmark in `crates/genkit-postgres`.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a command-line program")]

#[macro_use]
#[path = "../../../../tests/behaviour/durable/handed_on.rs"]
mod handed_on;
mod measured;

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use genkit::durable::FolderStore;
use genkit_sqlite::SqliteStore;
use rusqlite::Connection;

#[tokio::main]
async fn main() {
    let is_quick = std::env::args().any(|argument| argument == "--quick");
    let suspended: &[usize] = if is_quick { &[1000] } else { &[10_000, 100_000] };
    let folder = std::env::temp_dir().join(format!("genkit-bench-durable-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    println!("a round is a model call and a tool call: two steps, each saved before the next\n");

    let file = folder.join("runs.db");
    let floor = Connection::open(folder.join("floor.db")).unwrap();
    floor.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).unwrap();
    let made = "PRAGMA synchronous = FULL; CREATE TABLE t (id INTEGER PRIMARY KEY, head TEXT); INSERT INTO t VALUES (1, '');";
    floor.execute_batch(made).unwrap();
    let head = "x".repeat(1000);
    let mut number = 0;
    let commit = measured::mean(async || {
        // SQLite does not write an unchanged row.
        number += 1;
        let head = format!("{number}{head}");
        floor.execute("UPDATE t SET head = ?1 WHERE id = 1", [&head]).unwrap();
    });
    let commit = commit.await;
    let store = Arc::new(SqliteStore::open(&file).unwrap());
    measured::report("SQLite", store, commit, suspended, async || size(&folder)).await;

    let runs = folder.join("runs");
    let commit = measured::mean(async || {
        let new = folder.join("new");
        let mut written = fs::File::create(&new).unwrap();
        written.write_all(head.as_bytes()).unwrap();
        written.sync_all().unwrap();
        fs::rename(&new, folder.join("old")).unwrap();
        fs::File::open(&folder).unwrap().sync_all().unwrap();
    });
    let commit = commit.await;
    let store = Arc::new(FolderStore::open(&runs).unwrap());
    measured::report("files", store, commit, if is_quick { &[200] } else { &[2000] }, async || {
        size(&runs)
    })
    .await;
    fs::remove_dir_all(&folder).unwrap();
}

/// Returns the size of a folder, in bytes.
fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|path| if path.is_dir() { size(&path) } else { fs::metadata(path).unwrap().len() })
        .sum()
}
