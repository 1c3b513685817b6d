//! Tests that an entry that cannot be read does not affect other entries.

use std::path::PathBuf;
use std::time::Duration;

use genkit::Genkit;
use genkit::durable::{FolderStore, RunChange, RunId, RunStatus, RunStore as _};

/// A new folder for a store, removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let name = genkit_core::internal::error::new_reference();
        Self(std::env::temp_dir().join(format!("genkit-unreadable-{name}")))
    }

    /// Opens a store with these runs; the second part is the parent of a run.
    async fn open(&self, runs: &[(&str, Option<&str>, RunStatus)]) -> (FolderStore, Genkit) {
        let store = FolderStore::open(&self.0).expect("a folder");
        for (id, parent, status) in runs {
            let tags = parent.map(|parent| format!("parent:{parent}"));
            let change = RunChange::new(*status, "{}").with_tags(tags);
            assert!(store.create(&run(id), &change).await.expect("it is made"));
        }
        let genkit = Genkit::builder().registry(genkit::Registry::new()).durable(store.clone());
        (store, genkit.build().expect("a program"))
    }

    fn tear(&self, id: &str) {
        let file = self.0.join("runs").join(id).join("000000000001.run");
        std::fs::write(file, "torn").expect("it writes");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

fn run(id: &str) -> RunId {
    RunId::new(id).expect("an id")
}

async fn status(store: &FolderStore, id: &str) -> Option<RunStatus> {
    store.peek(&run(id)).await.expect("it reads").map(|head| head.status)
}

#[tokio::test]
async fn finished_runs_are_deleted_next_to_an_unreadable_parent() {
    let (folder, done) = (Folder::new(), RunStatus::Completed);
    let runs = [("a-child", Some("parent"), done), ("b", None, done), ("parent", None, done)];
    let (store, genkit) = folder.open(&runs).await;
    folder.tear("parent");
    tokio::time::sleep(Duration::from_millis(2)).await;
    assert_eq!(genkit.runs().delete_finished(Duration::ZERO).await.expect("it deletes"), 1);
    assert_eq!((status(&store, "b").await, status(&store, "a-child").await), (None, Some(done)));
}

#[tokio::test]
async fn children_are_cancelled_next_to_an_unreadable_child() {
    let (folder, working) = (Folder::new(), RunStatus::Working);
    let runs = [
        ("p", None, working),
        ("p.1", Some("p"), working),
        ("p.2", Some("p"), working),
        ("p.3", Some("p"), working),
        ("p.2.1", Some("p.2"), working),
    ];
    let (store, genkit) = folder.open(&runs).await;
    // Only the title can be read, which is sufficient to list the child.
    let file = folder.0.join("runs/p.2/000000000001.run");
    let text = std::fs::read_to_string(&file).expect("it reads");
    std::fs::write(&file, text.lines().next().expect("a title")).expect("it writes");
    assert!(genkit.runs().cancel("p").await.expect("it is cancelled"));
    for id in ["p", "p.1", "p.3", "p.2.1"] {
        assert_eq!(status(&store, id).await, Some(RunStatus::Cancelled), "{id}");
    }
}

#[tokio::test]
async fn command_continues_after_an_unreadable_run() {
    let (folder, working) = (Folder::new(), RunStatus::Working);
    let (store, genkit) = folder.open(&[("a", None, working), ("b", None, working)]).await;
    folder.tear("a");
    let text = genkit.runs().command(["cancel", "a", "b"]).await.expect("it is performed");
    assert!(text.contains("a\tfailed: ") && text.contains("a/000000000001.run"), "{text}");
    assert!(text.contains("b\tcancelled"), "{text}");
    assert_eq!(status(&store, "b").await, Some(RunStatus::Cancelled));
    let shown = genkit.runs().command(["show", "a"]).await.expect("it is shown");
    assert!(shown.starts_with("id: a\nerror: "), "{shown}");
}
