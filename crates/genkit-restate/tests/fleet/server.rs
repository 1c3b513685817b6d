//! A real Restate server from npm on loopback, which is killed and restarted.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

use genkit_restate::RestateAdmin;
use tokio::sync::{Mutex, MutexGuard};

use crate::kit::{PATIENCE, append_to};

/// The npm package of the server. Its binary is an optional dependency.
const NPM: &str = "@restatedev/restate-server@1.7.12";

/// A server, which runs until it is dropped.
pub(crate) struct Server {
    child: std::sync::Mutex<Option<Child>>,
    folder: PathBuf,
    ports: [u16; 3],
}

/// Exclusive access to the shared server for one test.
pub(crate) struct SharedServer {
    pub(crate) server: Arc<Server>,
    _alone: MutexGuard<'static, ()>,
}

impl std::ops::Deref for SharedServer {
    type Target = Server;

    fn deref(&self) -> &Server {
        &self.server
    }
}

impl Server {
    /// Returns the server that all tests share, one at a time.
    pub(crate) async fn acquire() -> SharedServer {
        static SHARED: std::sync::Mutex<Weak<Server>> = std::sync::Mutex::new(Weak::new());
        static ALONE: Mutex<()> = Mutex::const_new(());
        let server = {
            let mut shared = SHARED.lock().unwrap();
            let server = shared.upgrade().unwrap_or_else(|| Arc::new(Self::new()));
            *shared = Arc::downgrade(&server);
            server
        };
        let alone = ALONE.lock().await;
        server.start().await;
        SharedServer { server, _alone: alone }
    }

    /// Starts a server for one test only.
    pub(crate) async fn own() -> Self {
        let server = Self::new();
        server.start().await;
        server
    }

    fn new() -> Self {
        let ports = [free_port(), free_port(), free_port()];
        let folder = root().join(format!("server-{}-{}", std::process::id(), ports[0]));
        fs::create_dir_all(&folder).unwrap();
        Self { child: std::sync::Mutex::default(), folder, ports }
    }

    /// Starts the server, if it is not running.
    pub(crate) async fn start(&self) {
        if self.child.lock().unwrap().is_none() {
            let [ingress, admin, fabric] = self.ports;
            let log = append_to(&self.folder.join("log"));
            let child = Command::new(install())
                .args(["--no-logo", "--node-name=test", "--bind-ip=127.0.0.1", "--listen-mode=tcp"])
                .arg(format!("--bind-port={fabric}"))
                .arg("--base-dir")
                .arg(self.folder.join("data"))
                .env_clear()
                .env("RESTATE_DISABLE_TELEMETRY", "true")
                .env("RESTATE_INGRESS__BIND_ADDRESS", format!("127.0.0.1:{ingress}"))
                .env("RESTATE_ADMIN__BIND_ADDRESS", format!("127.0.0.1:{admin}"))
                .env("RESTATE_DEFAULT_NUM_PARTITIONS", "2")
                .env("RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE", "256MB")
                // One connection per step, because the load balancer of the tests distributes connections to the
                // workers.
                .env("RESTATE_WORKER__INVOKER__HTTP2_STREAMS_PER_CONNECTION_LIMIT", "1")
                .current_dir(&self.folder)
                .stdin(Stdio::null())
                .stdout(log.try_clone().unwrap())
                .stderr(log)
                .spawn()
                .unwrap();
            *self.child.lock().unwrap() = Some(child);
        }
        let started = Instant::now();
        // Once the server is ready, it reports that the worker is missing.
        let admin = RestateAdmin::new(&self.admin()).unwrap();
        loop {
            let tried = admin.register("http://127.0.0.1:1").await.unwrap_err();
            if tried.kind() == genkit::ErrorKind::FailedPrecondition {
                return;
            }
            assert!(started.elapsed() < PATIENCE, "{tried}\n{}", self.log());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Kills the server with `kill -9`.
    pub(crate) fn kill(&self) {
        if let Some(mut child) = self.child.lock().unwrap().take() {
            child.kill().ok();
            child.wait().ok();
        }
    }

    pub(crate) fn ingress(&self) -> String {
        format!("http://127.0.0.1:{}", self.ports[0])
    }

    pub(crate) fn admin(&self) -> String {
        format!("http://127.0.0.1:{}", self.ports[1])
    }

    /// The end of the server's log.
    pub(crate) fn log(&self) -> String {
        let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(60)..].join("\n")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        fs::remove_dir_all(&self.folder).ok();
    }
}

pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// The folder for all files that these tests write.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("restate-tests")
}

/// Installs the server once, and returns its path. The tests fail if the installation fails.
fn install() -> &'static Path {
    static DONE: OnceLock<PathBuf> = OnceLock::new();
    DONE.get_or_init(|| {
        let folder = root().join("npm");
        let stamp = folder.join("installed.txt");
        if fs::read_to_string(&stamp).unwrap_or_default() != NPM {
            fs::remove_dir_all(&folder).ok();
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("package.json"), r#"{"private":true}"#).unwrap();
            let mut npm = Command::new("npm");
            npm.current_dir(&folder).args([
                "install",
                "--ignore-scripts",
                "--no-audit",
                "--no-fund",
                NPM,
            ]);
            let ran =
                npm.output().unwrap_or_else(|error| panic!("npm of Node 20 is needed: {error}"));
            let text = String::from_utf8_lossy(&ran.stderr);
            assert!(
                ran.status.success(),
                "installation failed; the first run needs the package registry: {text}"
            );
            fs::write(stamp, NPM).unwrap();
        }
        let packages = folder.join("node_modules/@restatedev");
        let binary = |entry: fs::DirEntry| entry.path().join("bin/restate-server");
        let mut found = fs::read_dir(packages).unwrap().map(|entry| binary(entry.unwrap()));
        found.find(|path| path.exists()).expect("npm has a server for this machine")
    })
}
