//! The id of a process group, and the system calls that use it.

mod watchdog;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::process::CommandExt as _;

use process_wrap::std::{CommandWrap, CommandWrapper as _, ProcessSession};
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitOptions, kill_process_group, test_kill_process_group, waitpgid,
};
use tokio::process::Command;

use watchdog::Watchdog;

/// The id of a process group, as long as the group is known to exist.
#[derive(Debug)]
pub(crate) struct GroupId {
    id: Option<Pid>,
    /// The watchdog starts and ends with the group.
    watchdog: Option<Watchdog>,
}

impl GroupId {
    /// Returns the id of the group that a child leads.
    pub(crate) fn from_leader(pid: u32) -> Self {
        // Zero refers to our own group, and one to all processes.
        let id = i32::try_from(pid).ok().filter(|pid| *pid > 1).and_then(Pid::from_raw);
        Self { id, watchdog: id.and_then(|_| Watchdog::start(pid)) }
    }

    pub(crate) fn terminate_group(&mut self) {
        self.send_signal(Signal::TERM);
    }

    pub(crate) fn kill_group(&mut self) {
        self.send_signal(Signal::KILL);
    }

    fn send_signal(&mut self, signal: Signal) {
        if self.id.is_some_and(|group| kill_process_group(group, signal).is_err()) {
            self.forget_group();
        }
    }

    fn forget_group(&mut self) {
        (self.id, self.watchdog) = (None, None);
    }

    /// Returns whether the group is gone, or inaccessible.
    pub(crate) fn is_gone(&mut self, leader_is_gone: bool) -> bool {
        let Some(group) = self.id else { return true };
        if leader_is_gone {
            // In a container this process may adopt orphans, and must reap them.
            while let Ok(Some(_)) = waitpgid(group, WaitOptions::NOHANG) {}
        }
        if test_kill_process_group(group).is_err() {
            self.forget_group();
        }
        self.id.is_none()
    }
}

/// Makes the child the leader of a new session, which is also a new group. A session without a terminal cannot open
/// `/dev/tty`.
pub(crate) fn lead_group(command: &mut Command, program: &OsStr) -> io::Result<()> {
    let command = command.as_std_mut();
    check_format(command.get_program())?;
    lead_session(command.arg0(program))
}

/// The first bytes of programs: scripts, ELF, and Mach-O for one or several architectures.
const PROGRAMS: [&[u8]; 4] = [b"#!", b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe"];

/// Returns `ENOEXEC` for a file that is not a program: `execvp`, which starts the leader of a session, would run it as
/// a shell script.
fn check_format(program: &OsStr) -> io::Result<()> {
    // A program can be executable but not readable.
    let Ok(file) = File::open(program) else { return Ok(()) };
    let mut head = Vec::new();
    file.take(4).read_to_end(&mut head)?;
    let is_program = PROGRAMS.iter().any(|start| head.starts_with(start));
    if is_program { Ok(()) } else { Err(Errno::NOEXEC.into()) }
}

fn lead_session(command: &mut std::process::Command) -> io::Result<()> {
    // Use only this hook, because the rest of `process-wrap` is not suitable; see `group.rs`.
    ProcessSession.pre_spawn(command, &CommandWrap::with_new("", |_| {}))
}
