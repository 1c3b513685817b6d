//! Workers: this test program started again.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use genkit::Genkit;
use genkit_temporal::{TemporalClient, TemporalWorker, connect};

use crate::kit::{Log, append_to, genkit};
use crate::server::{Server, root};

/// Set in a process that runs as a worker: its name, the URL of the server, its task queue and the folder of the test.
const WORKER: &str = "GENKIT_FLEET_WORKER";

/// The test that runs as a worker when started again.
const ENTRY: &str = "experiment_kills_at_each_point_and_every_effect_is_there_once";

/// Runs this process as a worker until it is killed, if it was started as one. Never returns `true`.
pub(crate) async fn is_worker() -> bool {
    let Ok(said) = std::env::var(WORKER) else { return false };
    let parts: Vec<&str> = said.splitn(4, ',').collect();
    let [name, url, queue, folder] = parts[..] else { panic!("{said}") };
    let genkit = genkit(&Log::open(folder, name));
    let temporal = connect(url).await.unwrap();
    TemporalWorker::new(&genkit, &temporal).task_queue(queue).run().await.unwrap();
    true
}

/// The workers of a test, which poll their own task queue.
pub(crate) struct Fleet {
    pub(crate) log: Log,
    pub(crate) genkit: Genkit,
    pub(crate) client: TemporalClient,
    folder: PathBuf,
    url: String,
    queue: String,
    workers: Vec<(String, Child)>,
}

impl Fleet {
    /// Starts workers with these names.
    pub(crate) async fn start(server: &Server, names: &[&str]) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let queue =
            format!("fleet-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::SeqCst));
        let folder = root().join(&queue);
        fs::create_dir_all(&folder).unwrap();
        let log = Log::open(&folder, "test");
        let (genkit, url) = (genkit(&log), server.url());
        let temporal = connect(&url).await.unwrap();
        let client = TemporalClient::new(&genkit, &temporal).task_queue(&queue);
        let mut fleet = Self { log, genkit, client, folder, url, queue, workers: Vec::new() };
        for name in names {
            fleet.revive(name);
        }
        fleet
    }

    /// `kill -9`.
    pub(crate) fn kill(&mut self, name: &str) {
        let at = self.workers.iter().position(|(known, _)| known == name).unwrap();
        let (_, mut child) = self.workers.remove(at);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Waits until the worker with this name has ended its process.
    pub(crate) async fn ended(&mut self, name: &str) {
        let at = self.workers.iter().position(|(known, _)| known == name).unwrap();
        let (_, mut child) = self.workers.remove(at);
        tokio::task::spawn_blocking(move || child.wait()).await.unwrap().unwrap();
    }

    /// Starts the worker with this name.
    pub(crate) fn revive(&mut self, name: &str) {
        let (url, queue, folder) = (&self.url, &self.queue, self.folder.display());
        let log = append_to(&self.folder.join(format!("{name}.txt")));
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", ENTRY, "--nocapture"])
            .env(WORKER, format!("{name},{url},{queue},{folder}"))
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        self.workers.push((name.to_owned(), child));
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        for (_, child) in &mut self.workers {
            child.kill().ok();
            child.wait().ok();
        }
        if !std::thread::panicking() {
            fs::remove_dir_all(&self.folder).ok();
        }
    }
}
