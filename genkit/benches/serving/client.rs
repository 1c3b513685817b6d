//! A server as a child process, and its resources from `/proc`.

use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A server process, killed on drop.
pub(crate) struct Server {
    pub(crate) child: Child,
}

impl Server {
    /// Starts this program again, as the server with the given name.
    pub(crate) fn start(name: &str, port: Option<u16>) -> Self {
        Self::start_of(&std::env::current_exe().unwrap(), name, port)
    }

    /// Starts another build of this program, as the server with the given name.
    pub(crate) fn start_of(program: &Path, name: &str, port: Option<u16>) -> Self {
        let mut command = Command::new(program);
        command.args(["--serve", name]).env("RUST_LOG", "off");
        match port {
            Some(port) => command.arg(port.to_string()).stdin(Stdio::null()),
            None => command.stdin(Stdio::piped()).stdout(Stdio::piped()),
        };
        Self { child: command.spawn().unwrap() }
    }

    /// Returns the processor microseconds of its threads. No thread exits during a run. The first field of `schedstat`
    /// is in nanoseconds, whereas `stat` counts ticks of 10 ms.
    pub(crate) fn cpu(&self) -> f64 {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap();
        let spent = |thread: std::io::Result<std::fs::DirEntry>| {
            // A thread that has just exited no longer has a file.
            let stat = std::fs::read_to_string(thread.unwrap().path().join("schedstat")).ok()?;
            stat.split_whitespace().next()?.parse::<f64>().ok()
        };
        threads.filter_map(spent).sum::<f64>() / 1e3
    }

    /// Returns a memory size from `/proc`, in MiB. `VmHWM` is the peak, and `RssAnon` is the current size without the
    /// pages of the program file, which contains all servers here.
    pub(crate) fn memory(&self, field: &str) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with(field)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The first message of a session.
pub(crate) const INITIALIZE: &str = concat!(
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","#,
    r#""capabilities":{},"clientInfo":{"name":"bench","version":"0"}}}"#
);

/// The second message of a session.
pub(crate) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// Returns a request that calls `add`.
pub(crate) fn call(id: usize) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"add","arguments":{{"a":{id},"b":2}}}}}}"#
    )
}
