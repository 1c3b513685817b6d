//! A child process in a process group of its own.

use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::time::timeout;

use crate::command::ChildCommand;
use crate::error::SpawnError;
use crate::group::{self, ProcessGroup};
use crate::launch;
use crate::stderr::{Stderr, StderrLog};

/// How long a child may take to end after its input was closed, and again after `SIGTERM`.
const GRACE: Duration = Duration::from_secs(2);

/// How long what a child leaves behind may take to end after `SIGTERM`.
const GROUP_GRACE: Duration = Duration::from_millis(500);

/// How long a kill of it may take to be seen.
const GROUP_KILLED: Duration = Duration::from_millis(50);

/// How long the kill of a child may take to be seen.
const KILLED: Duration = Duration::from_secs(1);

/// How long a child that is dropped may take to end after `SIGTERM`; a thread is blocked.
const DROP_GRACE: Duration = Duration::from_millis(150);

/// How long a dropped child may take to be seen as killed; a thread is blocked.
const DROP_KILLED: Duration = Duration::from_millis(50);

/// How long the end of standard error is waited for once the program is gone.
const STDERR_END: Duration = Duration::from_millis(100);

/// How long a program that closed its output may take to be gone.
const ABOUT_TO_END: Duration = Duration::from_millis(500);

/// Child process that runs. Nothing of its process group outlives this value.
///
/// ```
/// use genkit_child_process::{ChildCommand, ChildProcess};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), genkit_child_process::SpawnError> {
/// let mut command = ChildCommand::new("sh");
/// command.args = vec!["-c".into(), "exit 3".into()];
/// let (mut child, _pipes) = ChildProcess::spawn(&command, None)?;
/// assert_eq!(child.wait().await.and_then(|status| status.code()), Some(3));
/// assert_eq!(child.describe_exit(), "exited with code 3");
/// child.shutdown().await;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ChildProcess {
    process: Child,
    id: u32,
    pub(crate) group: ProcessGroup,
    stderr: Stderr,
    status: Option<ExitStatus>,
}

/// Child pipes: drop `stdin` and the child comes to the end of its input.
///
/// ```
/// use genkit_child_process::{ChildCommand, ChildPipes, ChildProcess};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), genkit_child_process::SpawnError> {
/// let (mut child, pipes) = ChildProcess::spawn(&ChildCommand::new("cat"), None)?;
/// let ChildPipes { stdin, stdout: _stdout } = pipes;
/// drop(stdin);
/// assert!(child.wait().await.is_some_and(|status| status.success()));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ChildPipes {
    /// What the child reads.
    pub stdin: ChildStdin,
    /// What the child writes.
    pub stdout: ChildStdout,
}

impl ChildProcess {
    /// Starts a child. Its standard error is read and goes to `log`; without one it is that of this
    /// process.
    ///
    /// # Errors
    ///
    /// If there is no such program or folder, or the system does not start it.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime with I/O.
    pub fn spawn(
        command: &ChildCommand,
        log: Option<Box<dyn StderrLog>>,
    ) -> Result<(Self, ChildPipes), SpawnError> {
        let mut process = launch::prepare(command)?;
        let stderr = if log.is_some() { Stdio::piped() } else { Stdio::inherit() };
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr);
        let mut process = process.spawn().map_err(|error| launch::failed(command, error))?;
        // Present, for it was not waited for.
        let id = process.id().unwrap_or_default();
        let group = ProcessGroup::led_by(id);
        let stdin = process.stdin.take().expect("it is piped, as set above");
        let stdout = process.stdout.take().expect("it is piped, as set above");
        let read = process.stderr.take().zip(log);
        let stderr = read.map(|(stream, log)| Stderr::read(stream, log)).unwrap_or_default();
        Ok((Self { process, id, group, stderr, status: None }, ChildPipes { stdin, stdout }))
    }

    /// The process id, which is also the id of the process group.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The last lines of standard error, oldest first; none if that is not read.
    pub fn stderr_tail(&self) -> Vec<String> {
        self.stderr.tail()
    }

    /// Waits until it has exited and its standard error was read. Safe to cancel; `None` if the system
    /// does not know how it ended.
    pub async fn wait(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            self.status = self.process.wait().await.ok();
            self.group.leader_is_gone();
        }
        // What it left behind may hold the stream open for ever.
        let _ = timeout(STDERR_END, self.stderr.ended()).await;
        self.status
    }

    /// How it exited and the end of its standard error, for an error: `exited with code 1`. Best
    /// called after [`wait`](Self::wait).
    pub fn describe_exit(&mut self) -> String {
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

    /// What is known of its exit, or of why it hangs: `it exited with code 1`. It gets half a second to
    /// exit; `None` if it runs on and wrote nothing to its standard error.
    pub async fn exit_report(&mut self) -> Option<String> {
        let _ = timeout(ABOUT_TO_END, self.wait()).await;
        if self.status.is_some() {
            return Some(format!("it {}", self.describe_exit()));
        }
        let tail = self.stderr.tail_text();
        (!tail.is_empty()).then(|| format!("its standard error ended with:\n{tail}"))
    }

    /// Shuts the child down: ends it and all that it started. Close its input before: it gets 2
    /// seconds to exit, then `SIGTERM`, then `SIGKILL`. Takes 6 seconds at the most.
    pub async fn shutdown(mut self) {
        if timeout(GRACE, self.wait()).await.is_err() {
            self.group.terminate();
            if timeout(GRACE, self.wait()).await.is_err() {
                self.group.kill();
                let _ = self.process.start_kill();
                let _ = timeout(KILLED, self.wait()).await;
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

/// For an owner that is dropped and a runtime that ends: nothing can be awaited here.
impl Drop for ChildProcess {
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
fn is_gone(process: &mut Child, group: &mut ProcessGroup) -> bool {
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
