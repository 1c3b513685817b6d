//! The process group of a child, and its termination.
//!
//! No system call waits for a group to become empty: a process can wait only for its children, not for their
//! descendants. The group is therefore polled. `process-wrap` is not suitable, because it waits only for our own
//! children, on a thread that cannot be stopped, and signals a group even if its id may have been reused.

use std::time::{Duration, Instant};

use crate::group_id::GroupId;

/// The interval between two checks whether a group is empty.
const CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// The process group of a child. Its id is used only while a member of the group is known to exist, because the system
/// may reuse the id afterwards.
///
/// Without process groups (Windows) the child itself is killed when it is dropped, and its descendants are unknown.
#[derive(Debug)]
pub(crate) struct ProcessGroup {
    id: GroupId,
    leader_is_gone: bool,
}

impl ProcessGroup {
    /// Returns the group of a child that was started as its leader.
    pub(crate) fn from_leader_pid(pid: u32) -> Self {
        Self { id: GroupId::from_leader(pid), leader_is_gone: false }
    }

    /// Records that the child was waited for. Checks immediately whether the group is empty, because its id may be
    /// reused from then on.
    pub(crate) fn record_leader_exit(&mut self) {
        self.leader_is_gone = true;
        self.is_gone();
    }

    /// Sends `SIGTERM` to the group.
    pub(crate) fn terminate_group(&mut self) {
        self.id.terminate_group();
    }

    /// Sends `SIGKILL` to the group.
    pub(crate) fn kill_group(&mut self) {
        self.id.kill_group();
    }

    /// Returns whether the group is gone, or inaccessible.
    pub(crate) fn is_gone(&mut self) -> bool {
        self.id.is_gone(self.leader_is_gone)
    }

    /// Waits up to `limit` for the group to be gone, and returns whether it is.
    pub(crate) async fn wait_until_gone(&mut self, limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        while !self.is_gone() {
            if Instant::now() >= deadline {
                return false;
            }
            tokio::time::sleep(CHECK_INTERVAL).await;
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
        std::thread::sleep(CHECK_INTERVAL);
    }
    true
}
