//! Processes on systems without process groups: only the child itself can be killed.

use std::ffi::OsStr;
use std::io;

use tokio::process::Command;

#[derive(Debug)]
pub(crate) struct GroupId;

impl GroupId {
    pub(crate) fn from_leader(_: u32) -> Self {
        Self
    }

    pub(crate) fn terminate_group(&mut self) {}

    pub(crate) fn kill_group(&mut self) {}

    /// Returns whether the child is gone; other processes are unknown.
    pub(crate) fn is_gone(&mut self, leader_is_gone: bool) -> bool {
        leader_is_gone
    }
}

pub(crate) fn lead_group(command: &mut Command, _: &OsStr) -> io::Result<()> {
    command.kill_on_drop(true);
    Ok(())
}
