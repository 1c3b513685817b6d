//! A process that is stopped with SIGSTOP while it works, longer than its lease, and continued after another process
//! has finished its run.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use genkit::durable::FolderStore;
use genkit::message::ToolRequest;
use genkit::model::{self, ModelResponse};
use genkit::{Context, Error, Genkit, Registry, Result, Role, tool, tools};
use genkit_sqlite::SqliteStore;
use serde_json::json;

use super::Temp;
use super::process::Log;

/// Passes a process its store and its folder.
const ROLE: &str = "GENKIT_STOPPED";

/// The time limit of each wait.
const PATIENCE: Duration = Duration::from_secs(120);

/// Waits for the file `go`, and has two effects: one at once, and one in `once`.
#[tool(timeout = "1h")]
async fn act(log: &Log, ctx: &Context) -> Result<&'static str> {
    let this = std::process::id();
    log.write(&format!("begins {this}"));
    while !log.0.with_file_name("go").exists() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    log.write(&format!("acts {this}"));
    let effect = async {
        log.write(&format!("acts once {this}"));
        Ok::<_, Error>(())
    };
    ctx.once("effect", effect).await?;
    Ok("acted")
}

fn program(store: &str, folder: &Path) -> Genkit {
    let model = model::from_fn("house/clerk", |request, _| {
        let is_done = request.messages.iter().any(|message| message.role == Role::Tool);
        async move {
            match is_done {
                true => ModelResponse::from_text("done"),
                false => ModelResponse::from_tool_requests([ToolRequest::new("act", json!({}))]),
            }
        }
    });
    let builder = Genkit::builder()
        .registry(Registry::new().add(tools![act]))
        .state(Log(folder.join("log")))
        .default_model(model)
        .durable_lease(Duration::from_secs(5));
    let builder = match store {
        "sqlite" => builder.durable(SqliteStore::open(folder.join("runs.db")).unwrap()),
        _ => builder.durable(FolderStore::open(folder.join("folder")).unwrap()),
    };
    builder.build().unwrap()
}

/// The process of the tests below. Without a role, it does nothing.
#[tokio::test]
async fn process_that_is_stopped() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let (store, folder) = role.split_once(' ').unwrap();
    let genkit = program(store, &PathBuf::from(folder));
    let run = genkit.find_durable_run("r").await.unwrap().unwrap();
    let end = async move {
        while !run.status().await.unwrap().is_over() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    genkit.work().poll(Duration::from_millis(20)).until(end).await.unwrap();
}

/// A process that is killed when the test ends.
struct Worker(Child);

impl Worker {
    fn start(store: &str, folder: &Path) -> Self {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "durable::killed::stopped::process_that_is_stopped"])
            .env(ROLE, format!("{store} {}", folder.display()))
            .stdout(Stdio::null())
            .spawn();
        Self(child.unwrap())
    }

    fn send(&self, signal: &str) {
        let this = self.0.id().to_string();
        assert!(Command::new("kill").args([signal, &this]).status().unwrap().success());
    }

    fn ends_well(&mut self) -> bool {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status.success();
            }
            assert!(Instant::now() < until, "it does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

async fn stopped_process_does_nothing(store: &str) {
    let temp = Temp::new(&format!("stopped-{store}"));
    let genkit = program(store, &temp.0);
    let run = genkit.durable_run("r", genkit.generate("Act.").tools(["act"])).await.unwrap();
    let lines = || std::fs::read_to_string(temp.0.join("log")).unwrap_or_default();

    let mut stopped = Worker::start(store, &temp.0);
    let until = Instant::now() + PATIENCE;
    while !lines().contains("begins") {
        assert!(Instant::now() < until, "the first process does not begin");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    stopped.send("-STOP");
    std::fs::write(temp.0.join("go"), "").unwrap();
    let mut other = Worker::start(store, &temp.0);
    assert!(other.ends_well(), "another process takes over: {}", lines());
    stopped.send("-CONT");
    assert!(stopped.ends_well(), "{}", lines());

    let (stopped, other) = (stopped.0.id(), other.0.id());
    let expected =
        [format!("begins {stopped}"), format!("begins {other}"), format!("acts {other}")];
    let lines = lines();
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines[..3], expected);
    assert_eq!(lines[3..], [format!("acts once {other}")]);
    assert_eq!(run.wait().await.unwrap().text(), "done");
}

#[tokio::test]
async fn process_that_was_stopped_by_a_signal_does_nothing_with_a_folder() {
    stopped_process_does_nothing("folder").await;
}

#[tokio::test]
async fn process_that_was_stopped_by_a_signal_does_nothing_with_sqlite() {
    stopped_process_does_nothing("sqlite").await;
}
