//! Stores on disk, and compatibility with runs of earlier versions.

use std::path::{Path, PathBuf};
use std::time::Duration;

use genkit::durable::{FlowOutcome, FolderStore, RunStatus};
use genkit::{Context, Genkit, Registry, Result, flow, flows};
use genkit_sqlite::SqliteStore;
use serde_json::json;

use super::{World, ask, check_answer, process};

/// A folder that is removed on drop.
pub(super) struct Temp(pub(super) PathBuf);

impl Temp {
    pub(super) fn new(name: &str) -> Self {
        let name = format!("genkit-durable-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    pub(super) fn folder(&self) -> FolderStore {
        FolderStore::open(self.0.join("folder")).unwrap()
    }

    pub(super) fn sqlite(&self) -> SqliteStore {
        SqliteStore::open(self.0.join("runs.db")).unwrap()
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

/// Greets, once a user agrees.
#[flow]
async fn greet(ctx: &Context, name: String) -> Result<String> {
    let hello =
        ctx.once("hello", async { Ok::<_, genkit::Error>(format!("Hello, {name}")) }).await?;
    ctx.confirm("Greet?").await?;
    Ok(hello)
}

fn greeter(store: FolderStore) -> Genkit {
    let registry = Registry::new().add(flows![greet]);
    Genkit::builder().registry(registry).durable(store).build().unwrap()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A folder with runs of schema 1: an interrupted one, one with work to do, a finished one, and an interrupted flow.
#[tokio::test]
async fn runs_of_schema_1_continue() {
    let golden = PathBuf::from(format!("{}/fixtures/runs/1/folder", env!("CARGO_MANIFEST_DIR")));
    if std::env::var_os("UPDATE").is_some() && !golden.exists() {
        write_golden(&golden).await;
    }
    let temp = Temp::new("golden");
    copy(&golden, &temp.0.join("folder"));
    let (store, world) = (temp.folder(), World::default());
    let genkit = process(store.clone(), &world);
    let find = async |id| genkit.find_durable_run(id).await.unwrap().unwrap();

    let over = find("over").await;
    assert_eq!(over.status().await.unwrap(), RunStatus::Completed);
    check_answer(&over.wait().await.unwrap());
    assert_eq!(world.models(), 0);

    let asks = find("asks").await;
    assert_eq!(asks.status().await.unwrap(), RunStatus::InputRequired);
    asks.answer("c3", true).await.unwrap();
    check_answer(&asks.wait().await.unwrap());
    assert_eq!(world.models(), 1);
    assert!(world.charged().is_empty(), "it had paid before");

    let working = find("Working").await;
    assert_eq!(working.status().await.unwrap(), RunStatus::Working);
    assert!(working.wait().await.unwrap().is_interrupted());
    working.answer("c3", true).await.unwrap();
    check_answer(&working.wait().await.unwrap());

    let flow = greeter(store).find_durable_flow("flow").await.unwrap().unwrap();
    flow.answer("q1", true).await.unwrap();
    assert_eq!(flow.wait().await.unwrap(), FlowOutcome::Returned(json!("Hello, Ada")));
}

async fn write_golden(folder: &Path) {
    let (store, world) = (FolderStore::open(folder).unwrap(), World::default());
    let genkit = process(store.clone(), &world);
    let over = genkit.durable_run("over", ask()).await.unwrap();
    over.wait().await.unwrap();
    over.answer("c3", true).await.unwrap();
    over.wait().await.unwrap();
    genkit.durable_run("asks", ask()).await.unwrap().wait().await.unwrap();
    genkit.durable_run("Working", ask()).await.unwrap();
    let genkit = greeter(store);
    let flow = genkit.durable_flow("flow", "greet", json!({"name": "Ada"})).await.unwrap();
    flow.wait().await.unwrap();
    for run in std::fs::read_dir(folder.join("runs")).unwrap() {
        for file in std::fs::read_dir(run.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "lease") {
                std::fs::remove_file(path).unwrap();
            }
        }
    }
}

#[cfg(unix)]
#[tokio::test]
async fn pipe_in_a_folder_of_runs_does_not_block() {
    use genkit::durable::{RunChange, RunId, RunStore as _};

    let (temp, run) = (Temp::new("pipe"), RunId::new("a").unwrap());
    let store = temp.folder();
    let mark = temp.0.join("folder/open/a");
    let made = std::process::Command::new("mkfifo").arg(&mark).status().unwrap();
    assert!(made.success());
    let first = RunChange::new(RunStatus::Working, "1");
    let created = tokio::time::timeout(Duration::from_secs(60), store.create(&run, &first)).await;
    assert!(created.expect("it does not wait for a writer").unwrap());
    assert_eq!(store.due(9).await.unwrap(), [run]);
}
