//! The child process of a server, in a process group of its own.

mod group;
mod launch;
mod stderr;
#[cfg(test)]
mod tests;

use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::process::{ChildStdin, ChildStdout};
use tokio::time::timeout;

use super::command::Command;
use super::pipe::PipeTransport;
use super::redact::Redactor;
use crate::error::Result;
use group::ProcessGroup;
use stderr::Stderr;

/// How long a server may take to end after its input was closed, and again after `SIGTERM`.
const GRACE: Duration = Duration::from_secs(2);

/// How long what a server leaves behind may take to end after `SIGTERM`.
const GROUP_GRACE: Duration = Duration::from_millis(500);

/// How long a kill of it may take to be seen.
const GROUP_KILLED: Duration = Duration::from_millis(50);

/// How long the kill of a server may take to be seen.
const KILLED: Duration = Duration::from_secs(1);

/// How long a child that is dropped may take to end after `SIGTERM`; a thread is blocked.
const DROP_GRACE: Duration = Duration::from_millis(150);

/// How long a dropped child may take to be seen as killed; a thread is blocked.
const DROP_KILLED: Duration = Duration::from_millis(50);

/// How long the end of standard error is waited for once the program is gone.
const STDERR_END: Duration = Duration::from_millis(100);

/// How long a program that closed its output may take to be gone.
const ABOUT_TO_END: Duration = Duration::from_millis(500);

/// A running server. Nothing of its process group outlives this value.
pub(crate) struct Child {
    process: tokio::process::Child,
    #[cfg(test)]
    pid: u32,
    group: ProcessGroup,
    stderr: Stderr,
    status: Option<ExitStatus>,
}

impl Child {
    /// Starts a server and opens the pipe to it.
    ///
    /// # Errors
    /// If there is no such program or folder, or the system does not start it.
    ///
    /// # Panics
    /// Panics outside of a tokio runtime with I/O.
    pub(crate) fn spawn(
        key: &str,
        command: &Command,
    ) -> Result<(Self, PipeTransport<ChildStdout, ChildStdin>)> {
        let mut process = launch::prepare(command)?;
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr::stdio(command.stderr));
        let mut process = process.spawn().map_err(|error| launch::failed(command, error))?;
        // Present, for it was not waited for.
        let pid = process.id().unwrap_or_default();
        let group = ProcessGroup::led_by(pid);
        let stdin = process.stdin.take().expect("it is piped, as set above");
        let stdout = process.stdout.take().expect("it is piped, as set above");
        let redactor = Redactor::of(command);
        let stderr = Stderr::read(key, process.stderr.take(), command, redactor.clone());
        let transport =
            PipeTransport::new(key, stdout, stdin, command.max_line).redacting(redactor);
        let child = Self {
            process,
            #[cfg(test)]
            pid,
            group,
            stderr,
            status: None,
        };
        Ok((child, transport))
    }

    /// Its process id, which is also the id of its group.
    #[cfg(test)]
    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// The last lines of its standard error, oldest first; none if that is not read.
    #[cfg(test)]
    pub(crate) fn stderr_tail(&self) -> Vec<String> {
        self.stderr.tail()
    }

    /// Waits until it is gone and its standard error was read. Safe to cancel; none if the system
    /// does not know how it ended.
    pub(crate) async fn exited(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            self.status = self.process.wait().await.ok();
            self.group.leader_is_gone();
        }
        // What it left behind may hold the stream open for ever.
        let _ = timeout(STDERR_END, self.stderr.ended()).await;
        self.status
    }

    /// How it ended and the end of its standard error, for an error: ``exited with code 1``. Best
    /// read after [`exited`](Self::exited).
    pub(crate) fn describe_end(&mut self) -> String {
        if self.status.is_none() {
            self.status = self.process.try_wait().ok().flatten();
            if self.status.is_some() {
                self.group.leader_is_gone();
            }
        }
        let how = match self.status {
            Some(status) => ended(status),
            None => "has not exited".to_owned(),
        };
        let tail = self.stderr.tail_text();
        if tail.is_empty() {
            return how;
        }
        format!("{how}; its standard error ended with:\n{tail}")
    }

    /// What is known of its end, or of why it hangs: it gets a moment to be gone.
    pub(crate) async fn last_words(&mut self) -> Option<String> {
        let _ = timeout(ABOUT_TO_END, self.exited()).await;
        if self.status.is_some() {
            return Some(format!("it {}", self.describe_end()));
        }
        let tail = self.stderr.tail_text();
        (!tail.is_empty()).then(|| format!("its standard error ended with:\n{tail}"))
    }

    /// Ends it and all that it started: its input is closed already, so it gets some time, then it
    /// gets `SIGTERM`, then it is killed. Takes 6 seconds at the most.
    pub(crate) async fn end(mut self) {
        if timeout(GRACE, self.exited()).await.is_err() {
            self.group.terminate();
            if timeout(GRACE, self.exited()).await.is_err() {
                self.group.kill();
                let _ = self.process.start_kill();
                let _ = timeout(KILLED, self.exited()).await;
            }
        }
        self.group.terminate();
        if !self.group.ends_within(GROUP_GRACE).await {
            // Nothing survives this, but its zombies may stay until somebody reaps them.
            self.group.kill();
            self.group.ends_within(GROUP_KILLED).await;
        }
    }
}

/// For a host that is dropped and a runtime that ends: nothing can be awaited here.
impl Drop for Child {
    fn drop(&mut self) {
        let Self { process, group, .. } = self;
        if group.is_gone() {
            return;
        }
        group.terminate();
        if !group::wait_blocking(DROP_GRACE, || is_gone(process, group)) {
            group.kill();
            let _ = process.start_kill();
            group::wait_blocking(DROP_KILLED, || is_gone(process, group));
        }
    }
}

/// Whether nothing of the child and its group is left.
fn is_gone(process: &mut tokio::process::Child, group: &mut ProcessGroup) -> bool {
    // A child belongs to its group until it was waited for.
    if !matches!(process.try_wait(), Ok(None)) {
        group.leader_is_gone();
    }
    group.is_gone()
}

/// `exited with code 1`, `was killed by signal 9 (SIGKILL)`.
fn ended(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("exited with code {code}"),
        // Its own text is `signal: 9 (SIGKILL)`.
        None => format!("was killed by {}", status.to_string().replacen(':', "", 1)),
    }
}
