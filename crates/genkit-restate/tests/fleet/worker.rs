//! Workers: this test program started again, behind a balancer of connections.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use genkit::Genkit;
use genkit_restate::{RestateAdmin, RestateClient, RestateWorker};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};

use crate::kit::{Log, PATIENCE, append_to, genkit};
use crate::server::{Server, free_port, root};

/// Set in a process that runs as a worker: its name, its port, the step timeout and the folder of the test.
const WORKER: &str = "GENKIT_FLEET_WORKER";

/// The test that runs as a worker when started again.
const ENTRY: &str = "experiment_kills_at_each_point_and_every_effect_is_there_once";

/// Runs this process as a worker until it is killed, if it was started as one. Never returns `true`.
pub(crate) async fn is_worker() -> bool {
    let Ok(said) = std::env::var(WORKER) else { return false };
    let parts: Vec<&str> = said.splitn(4, ',').collect();
    let [name, port, longest, folder] = parts[..] else { panic!("{said}") };
    let log = Log::open(folder, name);
    let worker = RestateWorker::new(&genkit(&log));
    let worker = match longest.parse().unwrap() {
        0 => worker,
        millis => worker.longest_step(Duration::from_millis(millis)),
    };
    worker.serve(&format!("127.0.0.1:{port}")).await.unwrap();
    true
}

/// Workers behind a load balancer.
pub(crate) struct Fleet {
    pub(crate) log: Log,
    pub(crate) genkit: Genkit,
    folder: PathBuf,
    workers: Vec<(String, u16, Option<Child>)>,
    longest: u64,
    address: String,
    balancer: tokio::task::JoinHandle<()>,
}

impl Fleet {
    /// Starts workers with these names and registers them. `longest` is the step timeout in milliseconds, or 0 for the
    /// default.
    pub(crate) async fn start(server: &Server, names: &[&str], longest: u64) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::SeqCst);
        let folder = root().join(format!("fleet-{}-{count}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let log = Log::open(&folder, "test");
        let workers: Vec<_> =
            names.iter().map(|name| ((*name).to_owned(), free_port(), None)).collect();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let ports = workers.iter().map(|(_, port, _)| *port).collect();
        let balancer = tokio::spawn(balance(listener, ports));
        let genkit = genkit(&log);
        let mut fleet = Self { log, genkit, folder, workers, longest, address, balancer };
        for name in names {
            fleet.revive(name);
        }
        fleet.register(server).await;
        fleet
    }

    /// Registers the workers at the server, once they respond.
    pub(crate) async fn register(&self, server: &Server) {
        let admin = RestateAdmin::new(&server.admin()).unwrap();
        let started = Instant::now();
        while let Err(error) = admin.register(&self.address).await {
            assert!(started.elapsed() < PATIENCE, "{error}\n{}", server.log());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    pub(crate) fn client(&self, server: &Server) -> RestateClient {
        RestateClient::new(&self.genkit, &server.ingress()).unwrap()
    }

    /// Kills the worker with `kill -9`.
    pub(crate) fn kill(&mut self, name: &str) {
        let worker = self.workers.iter_mut().find(|(known, ..)| known == name).unwrap();
        let mut child = worker.2.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Starts the worker with this name.
    pub(crate) fn revive(&mut self, name: &str) {
        let (longest, folder) = (self.longest, self.folder.display().to_string());
        let worker = self.workers.iter_mut().find(|(known, ..)| known == name).unwrap();
        let log = append_to(&Path::new(&folder).join(format!("{name}.txt")));
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", ENTRY, "--nocapture"])
            .env(WORKER, format!("{name},{},{longest},{folder}", worker.1))
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        worker.2 = Some(child);
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        self.balancer.abort();
        for (_, _, child) in &mut self.workers {
            if let Some(mut child) = child.take() {
                child.kill().ok();
                child.wait().ok();
            }
        }
        if !std::thread::panicking() {
            fs::remove_dir_all(&self.folder).ok();
        }
    }
}

/// Forwards each connection to the next worker that accepts it, like a load balancer.
async fn balance(listener: TcpListener, ports: Vec<u16>) {
    let next = Mutex::new(0);
    loop {
        let Ok((mut client, _)) = listener.accept().await else { return };
        let first = {
            let mut next = next.lock().unwrap();
            *next += 1;
            *next
        };
        let ports = ports.clone();
        tokio::spawn(async move {
            for at in 0..ports.len() {
                let port = ports[(first + at) % ports.len()];
                if let Ok(mut worker) = TcpStream::connect(("127.0.0.1", port)).await {
                    let _ = copy_bidirectional(&mut client, &mut worker).await;
                    return;
                }
            }
        });
    }
}
