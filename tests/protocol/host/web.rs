//! `server-everything` over HTTP, as a separate program.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use crate::packages;
use crate::program::Heard;

/// The startup time limit.
const START: Duration = Duration::from_secs(60);

/// The server, killed on drop.
pub(super) struct Web {
    child: Child,
    stderr: Heard,
    port: u16,
}

impl Web {
    /// Starts it on a port that is free.
    pub(super) fn start() -> Self {
        // It does not report its port, so it cannot choose one itself. Uses ports below the ephemeral range, because
        // connections of other tests could take one from that range before the server starts.
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

    /// Kills it, as in a crash.
    pub(super) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Restarts it on the same port, without its previous sessions.
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
