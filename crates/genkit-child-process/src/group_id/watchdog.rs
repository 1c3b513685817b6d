//! A process that ends the group of a child if this process ends first.
//!
//! The system's own signal for this, `PR_SET_PDEATHSIG`, exists only on Linux, must be set by the child, and is sent when
//! the thread that started the child ends, not the process.

use std::process::{Child, Command, Stdio};

use super::lead_session;

/// Waits for the end of its input, which the system closes when this process ends for any reason. The group then has as
/// much time to exit as in `ChildProcess::shutdown`.
const SCRIPT: &str = r#"read -r _; kill -s TERM -- "-$1" && sleep 2 && kill -s KILL -- "-$1""#;

/// A watchdog of a process group. Dropping the value stops the watchdog before it signals the group.
#[derive(Debug)]
pub(super) struct Watchdog(Child);

impl Watchdog {
    /// Starts a watchdog. Returns `None` if the system has no shell, for example in a minimal container.
    pub(super) fn start(group: u32) -> Option<Self> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", SCRIPT, "sh", &group.to_string()]);
        command.env_clear().env("PATH", "/usr/bin:/bin").current_dir("/");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // The watchdog has its own session, so that Ctrl-C and the end of the terminal do not end it.
        lead_session(&mut command).ok()?;
        command.spawn().ok().map(Self)
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        // The watchdog is killed before its input is closed, so it does not signal the group.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
