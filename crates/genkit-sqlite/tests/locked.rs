//! A file that another program locks for longer than SQLite waits.

#![allow(clippy::unwrap_used, reason = "a panic shows where a test fails")]

#[macro_use]
#[path = "../../../tests/behaviour/durable/handed_on.rs"]
mod handed_on;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use genkit::durable::{RunChange, RunHead, RunId, RunStatus, RunStore, StoredRun};
use genkit::message::ToolRequest;
use genkit::model::{self, ModelResponse};
use genkit::{BoxFuture, Context, Error, ErrorKind, Genkit, Registry, Result, Role, tool, tools};
use genkit_sqlite::SqliteStore;
use rusqlite::Connection;
use serde_json::json;

/// Another program, which locks the file during the effect until a save has failed.
#[derive(Clone)]
struct Locks {
    file: PathBuf,
    lock: Arc<Mutex<Option<Connection>>>,
    effects: Arc<AtomicUsize>,
    failures: Arc<AtomicUsize>,
}

/// Locks a file until the connection is dropped.
fn lock(file: &Path) -> Connection {
    let other = Connection::open(file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    other
}

#[derive(Clone)]
struct LockedStore {
    inner: SqliteStore,
    locks: Locks,
}

impl RunStore for LockedStore {
    all_of_inner_but!(save);

    fn save<'a>(
        &'a self,
        run: &'a RunId,
        at: u64,
        change: &'a RunChange,
    ) -> BoxFuture<'a, Result<Option<u64>>> {
        Box::pin(async move {
            let saved = self.inner.save(run, at, change).await;
            if let Err(error) = &saved {
                assert_eq!(error.kind(), ErrorKind::Unavailable);
                assert!(error.chain().contains("database is locked"), "{}", error.chain());
                self.locks.failures.fetch_add(1, Ordering::SeqCst);
                self.locks.lock.lock().unwrap().take();
            }
            saved
        })
    }
}

/// Pays.
#[tool]
async fn pay(locks: &Locks, ctx: &Context) -> Result<&'static str> {
    let effect = async {
        locks.effects.fetch_add(1, Ordering::SeqCst);
        *locks.lock.lock().unwrap() = Some(lock(&locks.file));
        Ok::<_, Error>(())
    };
    ctx.once("pay", effect).await?;
    Ok("paid")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn file_that_is_locked_for_longer_than_sqlite_waits_repeats_no_effect() {
    let folder = std::env::temp_dir().join(format!("genkit-sqlite-locked-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("runs.db");
    let inner = SqliteStore::open(&file).unwrap();
    let locks = Locks {
        file: file.clone(),
        lock: Arc::default(),
        effects: Arc::default(),
        failures: Arc::default(),
    };
    let model = model::from_fn("house/clerk", |request, _| {
        let is_done = request.messages.iter().any(|message| message.role == Role::Tool);
        async move {
            match is_done {
                true => ModelResponse::from_text("done"),
                false => ModelResponse::from_tool_requests([ToolRequest::new("pay", json!({}))]),
            }
        }
    });
    let genkit = Genkit::builder()
        .registry(Registry::new().add(tools![pay]))
        .state(locks.clone())
        .default_model(model)
        .durable(LockedStore { inner, locks: locks.clone() })
        .build()
        .unwrap();
    let run = genkit.durable_run("r", genkit.generate("Pay.").tools(["pay"])).await.unwrap();
    assert_eq!(run.wait().await.unwrap().text(), "done");
    assert_eq!(locks.effects.load(Ordering::SeqCst), 1);
    assert!(locks.failures.load(Ordering::SeqCst) > 0, "a save failed");
    assert_eq!(run.status().await.unwrap(), RunStatus::Completed);

    // A program that starts during the lock is told which file it is.
    let held = lock(&file);
    let opened = tokio::task::spawn_blocking({
        let file = file.clone();
        move || SqliteStore::open(file).err()
    });
    let error = opened.await.unwrap().unwrap();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert!(error.chain().contains("runs.db"), "{}", error.chain());
    drop(held);
    SqliteStore::open(&file).unwrap();
    std::fs::remove_dir_all(folder).unwrap();
}
