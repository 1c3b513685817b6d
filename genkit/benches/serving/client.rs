//! A server as a child of this program, and what Linux says about it.

use std::process::{Child, Command, Stdio};

/// Ends the server when it is dropped.
pub(crate) struct Server {
    pub(crate) child: Child,
}

impl Server {
    /// This program again, as the server of that name.
    pub(crate) fn start(name: &str, port: Option<u16>) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--serve", name]).env("RUST_LOG", "off");
        match port {
            Some(port) => command.arg(port.to_string()).stdin(Stdio::null()),
            None => command.stdin(Stdio::piped()).stdout(Stdio::piped()),
        };
        Self { child: command.spawn().unwrap() }
    }

    /// Processor microseconds of all its threads: fields 14 and 15 of `/proc/PID/stat`.
    pub(crate) fn cpu(&self) -> f64 {
        /// Linux has counted in hundredths for decades.
        const TICK: f64 = 10_000.0;
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        fields[11..13].iter().map(|field| field.parse::<f64>().unwrap()).sum::<f64>() * TICK
    }

    /// A size that Linux tells of it, in MiB: `VmHWM` is the most memory it ever had, `RssAnon`
    /// what it has without the pages of the program file, which holds all servers here.
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

/// The second.
pub(crate) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// A call of `add`.
pub(crate) fn call(id: usize) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"add","arguments":{{"a":{id},"b":2}}}}}}"#
    )
}
