//! Servers with one fault each: how a host handles them, without leaving processes behind.

mod echoes;
mod eras;
mod http;
mod lists;
mod processes;
mod requests;

use std::path::PathBuf;
use std::time::Duration;

use genkit::mcp::host::{McpClient, McpHost, ServerConfig, StdioTransport};
use genkit::{Error, Result};
use serde_json::{Value, json};

/// The time limit of each test, even on a slow machine.
const GUARD: Duration = Duration::from_secs(60);

/// One server, and the mark that identifies its processes.
struct Faulty {
    host: McpHost,
    client: McpClient,
    mark: String,
}

fn script() -> PathBuf {
    concat!(env!("CARGO_MANIFEST_DIR"), "/protocol/servers/fault.py").into()
}

/// Returns the server with the fault `mode`, as a user would configure it.
fn server(mode: &str, mark: &str) -> StdioTransport {
    let [mode, argument] = match mode.split_once(' ') {
        Some((mode, argument)) => [mode, argument],
        None => [mode, "-"],
    };
    ServerConfig::stdio("python3").arg(script()).args([mode, argument, mark])
}

/// Returns a mark that no other test uses.
fn mark(mode: &str) -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("mark-{}-{}-{count}", std::process::id(), mode.replace(' ', "-"))
}

impl Faulty {
    fn new(mode: &str) -> Self {
        Self::with(mode, |server| server)
    }

    fn with(mode: &str, change: impl FnOnce(StdioTransport) -> StdioTransport) -> Self {
        let mark = mark(mode);
        let host = McpHost::builder()
            .server("s", change(server(mode, &mark)))
            .probe_timeout(Duration::from_secs(1))
            .build()
            .unwrap();
        let client = host.client("s").unwrap();
        Self { host, client, mark }
    }

    async fn ready(&self) -> Result<()> {
        within(self.client.ready()).await
    }

    async fn call(&self, tool: &str, arguments: Value) -> Result<Value> {
        within(self.client.call_tool(tool, arguments)).await
    }

    /// Checks that the server responds to a call.
    async fn echoes(&self) {
        let echo = self.call("echo", json!({"text": "hi"})).await.unwrap();
        assert_eq!(echo, json!({"text": "hi"}));
    }

    fn protocol(&self) -> String {
        self.client.status().protocol_version.unwrap_or_default()
    }

    /// Closes the host, and checks that no process is left.
    async fn end(self) {
        within(self.host.close()).await;
        assert_eq!(processes(&self.mark), [0_u32; 0], "of {}", self.mark);
    }
}

async fn within<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(GUARD, work).await.expect("it hangs")
}

/// Returns the processes with this mark in their arguments.
fn processes(mark: &str) -> Vec<u32> {
    let all = std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok());
    all.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid| {
            let arguments = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&arguments).split('\0').any(|argument| argument == mark)
        })
        .collect()
}

/// Returns whether a process exists and is not a zombie.
fn lives(pid: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = status.rsplit(") ").next().and_then(|rest| rest.chars().next());
    !matches!(state, None | Some('Z' | 'X'))
}

/// Checks that the error contains all of these texts.
#[track_caller]
fn says(error: &Error, wanted: &[&str]) {
    let said = error.chain();
    for wanted in wanted {
        assert!(said.contains(wanted), "`{wanted}` is not in: {said}");
    }
}
