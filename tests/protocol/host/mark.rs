//! The processes that a test started, and the check that none is left.

use std::path::Path;
use std::process::Command;

use genkit::mcp::McpHost;

/// The environment variable that identifies a test's servers and their children.
pub(super) const VARIABLE: &str = "GENKIT_TEST_MARK";

/// The mark of one test's processes.
pub(super) struct Mark(String);

impl Mark {
    /// Creates a mark that no other test uses, in this run or in a concurrent one.
    pub(super) fn new(test: &str) -> Self {
        Self(format!("{test}-{}", std::process::id()))
    }

    pub(super) fn name(&self) -> &str {
        &self.0
    }

    /// Returns the living processes.
    pub(super) fn processes(&self) -> Vec<u32> {
        let wanted = format!("{VARIABLE}={}", self.0).into_bytes();
        let entries = std::fs::read_dir("/proc").expect("Linux's /proc, where processes are found");
        let ids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let marked = |id: &u32| {
            let variables = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
            variables.split(|byte| *byte == 0).any(|variable| variable == wanted)
        };
        ids.filter(marked).collect()
    }

    /// Kills them and waits until they are dead, so that no message can reach them any more.
    pub(super) fn kill(&self) {
        let ids = self.processes();
        self.signal("-9");
        // A zombie has closed its pipes. Before that, a process may look dead but still accept a message.
        let is_dead = |id: &u32| {
            let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
            stat.rsplit(')').next().is_none_or(|rest| rest.is_empty() || rest.starts_with(" Z"))
        };
        while !ids.iter().all(is_dead) {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }

    /// Sends them a signal.
    pub(super) fn signal(&self, signal: &str) {
        let ids = self.processes();
        assert!(!ids.is_empty(), "no server runs");
        let ids = ids.iter().map(u32::to_string);
        assert!(Command::new("kill").arg(signal).args(ids).status().unwrap().success());
    }

    /// Closes the host, and checks that its processes ended and are not zombies.
    pub(super) async fn close(&self, host: McpHost) {
        let ids = self.processes();
        assert!(!ids.is_empty(), "no server runs");
        host.close().await;
        let left: Vec<_> =
            ids.iter().filter(|id| Path::new(&format!("/proc/{id}")).exists()).collect();
        assert!(left.is_empty(), "of the servers {ids:?}, {left:?} are still running");
        assert_eq!(self.processes(), [0; 0], "servers were started while the host was closed");
    }
}

/// A test that fails leaves nothing behind either.
impl Drop for Mark {
    fn drop(&mut self) {
        for id in self.processes() {
            let _ = Command::new("kill").args(["-9", &id.to_string()]).status();
        }
    }
}
