//! The process group of a child, and its termination.
//!
//! No system call waits for a group to become empty: only the child itself is ours to wait for, not its descendants.
//! The group is therefore polled. `process-wrap` does not fit, because it waits only for our own children, on a thread
//! that cannot be stopped, and signals a group even if its id may have been reused.

use std::time::{Duration, Instant};

#[cfg(unix)]
use rustix::process::{
    Pid, Signal, WaitOptions, kill_process_group, test_kill_process_group, waitpgid,
};

/// How often to poll whether a group is empty.
const LOOK: Duration = Duration::from_millis(5);

/// The process group of a child. Its id is used only while a member of the group is known to exist, because the system
/// may reuse the id afterwards.
///
/// Without process groups (Windows) the child itself is killed when it is dropped, and its descendants are unknown.
#[derive(Debug)]
pub(crate) struct ProcessGroup {
    #[cfg(unix)]
    id: Option<Pid>,
    leader_is_gone: bool,
}

impl ProcessGroup {
    /// Returns the group that a child was put into when it was started.
    #[cfg_attr(not(unix), allow(unused_variables, reason = "there are no process groups"))]
    pub(crate) fn led_by(pid: u32) -> Self {
        Self {
            // Zero would mean our own group, and one all processes.
            #[cfg(unix)]
            id: i32::try_from(pid).ok().filter(|pid| *pid > 1).and_then(Pid::from_raw),
            leader_is_gone: false,
        }
    }

    /// Records that the child was waited for. Checks immediately whether the group is empty, because its id may be
    /// reused from then on.
    pub(crate) fn leader_is_gone(&mut self) {
        self.leader_is_gone = true;
        self.is_gone();
    }

    /// Sends `SIGTERM` to the group.
    pub(crate) fn terminate_group(&mut self) {
        #[cfg(unix)]
        self.send_signal(Signal::TERM);
    }

    /// Sends `SIGKILL` to the group.
    pub(crate) fn kill_group(&mut self) {
        #[cfg(unix)]
        self.send_signal(Signal::KILL);
    }

    #[cfg(unix)]
    fn send_signal(&mut self, signal: Signal) {
        if self.id.is_some_and(|group| kill_process_group(group, signal).is_err()) {
            self.id = None;
        }
    }

    /// Returns whether the group is gone, or inaccessible.
    #[cfg(unix)]
    pub(crate) fn is_gone(&mut self) -> bool {
        let Some(group) = self.id else { return true };
        if self.leader_is_gone {
            // In a container this process may adopt orphans, and must reap them.
            while let Ok(Some(_)) = waitpgid(group, WaitOptions::NOHANG) {}
        }
        if test_kill_process_group(group).is_err() {
            self.id = None;
        }
        self.id.is_none()
    }

    /// Returns whether the child is gone; other processes are unknown.
    #[cfg(not(unix))]
    pub(crate) fn is_gone(&mut self) -> bool {
        self.leader_is_gone
    }

    /// Waits up to `limit` for the group to be gone, and returns whether it is.
    pub(crate) async fn ends_within(&mut self, limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        while !self.is_gone() {
            if Instant::now() >= deadline {
                return false;
            }
            tokio::time::sleep(LOOK).await;
        }
        true
    }
}

/// Blocks this thread up to `limit` until the condition holds, and returns whether it does.
pub(crate) fn wait_blocking(limit: Duration, mut is_so: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + limit;
    while !is_so() {
        if Instant::now() >= deadline {
            return false;
        }
        std::thread::sleep(LOOK);
    }
    true
}
