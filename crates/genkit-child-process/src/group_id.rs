//! The id of a process group, and the system calls with it.

use std::ffi::OsStr;
use std::os::unix::process::CommandExt as _;

use rustix::process::{
    Pid, Signal, WaitOptions, kill_process_group, test_kill_process_group, waitpgid,
};
use tokio::process::Command;

/// The id of a process group, as long as the group is known to exist.
#[derive(Debug)]
pub(crate) struct GroupId(Option<Pid>);

impl GroupId {
    /// Returns the id of the group that a child leads.
    pub(crate) fn of_leader(pid: u32) -> Self {
        // Zero would mean our own group, and one all processes.
        Self(i32::try_from(pid).ok().filter(|pid| *pid > 1).and_then(Pid::from_raw))
    }

    pub(crate) fn terminate_group(&mut self) {
        self.send_signal(Signal::TERM);
    }

    pub(crate) fn kill_group(&mut self) {
        self.send_signal(Signal::KILL);
    }

    fn send_signal(&mut self, signal: Signal) {
        if self.0.is_some_and(|group| kill_process_group(group, signal).is_err()) {
            self.0 = None;
        }
    }

    /// Returns whether the group is gone, or inaccessible.
    pub(crate) fn is_gone(&mut self, leader_is_gone: bool) -> bool {
        let Some(group) = self.0 else { return true };
        if leader_is_gone {
            // In a container this process may adopt orphans, and must reap them.
            while let Ok(Some(_)) = waitpgid(group, WaitOptions::NOHANG) {}
        }
        if test_kill_process_group(group).is_err() {
            self.0 = None;
        }
        self.0.is_none()
    }
}

/// Makes the child the leader of a new group.
pub(crate) fn lead_group(command: &mut Command, program: &OsStr) {
    command.as_std_mut().arg0(program).process_group(0);
}
