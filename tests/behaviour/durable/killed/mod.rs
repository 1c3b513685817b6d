//! Processes that are killed at each save and at system calls, with each local store.

#![cfg(unix)]

// `crates/genkit-postgres` runs the tests of these modules with its own store.
mod calls;
mod everything;
mod process;
mod tasks;
mod trials;

mod faults;
mod stopped;

use std::path::Path;
use std::sync::Arc;

use genkit::durable::RunStore;

use self::process::{Mortal, dies_at_each_save, run_alive};
use self::trials::{Work, survives_kills, survives_kills_at_calls};
use super::stored::Temp;

const CHILD: &str = "durable::killed::process_that_dies";

/// The process of the tests below. If run directly, it checks that the run completes without being killed.
#[tokio::test]
async fn process_that_dies() {
    let Some(role) = Mortal::of_this() else {
        let temp = Temp::new("alive");
        return run_alive(Arc::new(temp.folder()), &temp.0).await;
    };
    let store = open_store(&role.kind, &role.folder).await;
    role.play(store).await;
}

async fn open_store(kind: &str, folder: &Path) -> Arc<dyn RunStore> {
    match kind {
        "sqlite" => Arc::new(genkit_sqlite::SqliteStore::open(folder.join("runs.db")).unwrap()),
        _ => Arc::new(genkit::durable::FolderStore::open(folder.join("folder")).unwrap()),
    }
}

impl AsRef<Path> for Temp {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

#[test]
fn process_that_is_killed_at_any_save_is_succeeded_with_a_folder() {
    dies_at_each_save(CHILD, "folder", [], Temp::new);
}

#[test]
fn process_that_is_killed_at_any_save_is_succeeded_with_sqlite() {
    dies_at_each_save(CHILD, "sqlite", [], Temp::new);
}

#[tokio::test]
async fn run_with_everything_survives_kills_with_a_folder() {
    survives_kills("folder").await;
}

#[tokio::test]
async fn run_with_everything_survives_kills_with_sqlite() {
    survives_kills("sqlite").await;
}

#[tokio::test]
async fn run_with_everything_survives_kills_at_system_calls_with_a_folder() {
    survives_kills_at_calls(Work::Everything, "folder").await;
}

#[tokio::test]
async fn run_with_everything_survives_kills_at_system_calls_with_sqlite() {
    survives_kills_at_calls(Work::Everything, "sqlite").await;
}

#[tokio::test]
async fn task_survives_kills_at_system_calls_with_a_folder() {
    survives_kills_at_calls(Work::Task, "folder").await;
}

#[tokio::test]
async fn task_survives_kills_at_system_calls_with_sqlite() {
    survives_kills_at_calls(Work::Task, "sqlite").await;
}
