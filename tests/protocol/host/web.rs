//! `server-everything` over HTTP, as a program of its own.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use crate::packages;
use crate::program::Heard;

/// How long it may take to listen.
const START: Duration = Duration::from_secs(60);

/// The server, until it is dropped.
pub(super) struct Web {
    child: Child,
    stderr: Heard,
    port: u16,
}

impl Web {
    /// Starts it on a port that is free.
    pub(super) fn start() -> Self {
        // It does not say which port it got, so that it cannot choose one. Below the ports that the system
        // gives to clients: those of other tests would take it before the server is there.
        static NEXT: AtomicU16 = AtomicU16::new(0);
        let first = u16::try_from(std::process::id() % 8_000).unwrap();
        let ports = std::iter::repeat_with(|| {
            20_000 + (first + NEXT.fetch_add(1, Ordering::Relaxed)) % 10_000
        });
        let is_free = |port: &u16| TcpListener::bind(("0.0.0.0", *port)).is_ok();
        Self::on(ports.take(1_000).find(is_free).expect("a port that is free"))
    }

    fn on(port: u16) -> Self {
        let mut child = Command::new("node")
            .arg(packages::node_server("server-everything"))
            .arg("streamableHttp")
            .env("PORT", port.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("Node.js starts");
        let stderr = Heard::listen(child.stderr.take().expect("a pipe"));
        let mut web = Self { child, stderr, port };
        web.wait();
        web
    }

    fn wait(&mut self) {
        let deadline = Instant::now() + START;
        while !self.stderr.so_far().contains("listening on port") {
            let alive = matches!(self.child.try_wait(), Ok(None)) && Instant::now() < deadline;
            assert!(alive, "the server does not listen:\n{}", self.stderr.so_far());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    /// Ends it without a word, as a crash does.
    pub(super) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Starts it again where it was; it knows nothing of the sessions that it had.
    pub(super) fn restart(&mut self) {
        self.kill();
        *self = Self::on(self.port);
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        self.kill();
    }
}
