//! The process group of a child, and its end.
//!
//! No system call waits for a group to become empty: who was started by the child is not ours to
//! wait for. So that is looked at again and again; only the child itself is waited for. Not
//! `process-wrap`: it waits for children of ours alone, on a thread that nothing stops, and signals a
//! group also when its id may belong to others.

use std::time::{Duration, Instant};

#[cfg(unix)]
use rustix::process::{
    Pid, Signal, WaitOptions, kill_process_group, test_kill_process_group, waitpgid,
};

/// How often is looked whether a group is empty.
const LOOK: Duration = Duration::from_millis(5);

/// The process group of a child. Its id is used only as long as something of it was seen: the
/// system may give it to others then.
///
/// Without groups (Windows) the child itself is killed when it is dropped, and what it started is
/// not known.
#[derive(Debug)]
pub(crate) struct ProcessGroup {
    #[cfg(unix)]
    id: Option<Pid>,
    leader_is_gone: bool,
}

impl ProcessGroup {
    /// The group that a child was put into when it was started.
    #[cfg_attr(not(unix), allow(unused_variables, reason = "there are no groups"))]
    pub(crate) fn led_by(pid: u32) -> Self {
        Self {
            // Zero would mean our own group, and one everybody.
            #[cfg(unix)]
            id: i32::try_from(pid).ok().filter(|pid| *pid > 1).and_then(Pid::from_raw),
            leader_is_gone: false,
        }
    }

    /// The child was waited for. Looks at once whether the group is empty now: its id is free from
    /// here on if so.
    pub(crate) fn leader_is_gone(&mut self) {
        self.leader_is_gone = true;
        self.is_gone();
    }

    /// Asks all of it to end.
    pub(crate) fn terminate(&mut self) {
        #[cfg(unix)]
        self.signal(Signal::TERM);
    }

    /// Kills all of it.
    pub(crate) fn kill(&mut self) {
        #[cfg(unix)]
        self.signal(Signal::KILL);
    }

    #[cfg(unix)]
    fn signal(&mut self, signal: Signal) {
        if self.id.is_some_and(|group| kill_process_group(group, signal).is_err()) {
            self.id = None;
        }
    }

    /// Whether nothing of it is left, or nothing that we may touch.
    #[cfg(unix)]
    pub(crate) fn is_gone(&mut self) -> bool {
        let Some(group) = self.id else { return true };
        if self.leader_is_gone {
            // In a container this program may be the one that orphans go to, and has to reap them.
            while let Ok(Some(_)) = waitpgid(group, WaitOptions::NOHANG) {}
        }
        if test_kill_process_group(group).is_err() {
            self.id = None;
        }
        self.id.is_none()
    }

    /// Whether nothing of it is left that is known.
    #[cfg(not(unix))]
    pub(crate) fn is_gone(&mut self) -> bool {
        self.leader_is_gone
    }

    /// Waits until nothing of it is left, for so long at the most; whether that is so.
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

/// Waits on this thread until something is so, for so long at the most; whether it is so.
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
