//! A child process in its own session and process group.

use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::time::timeout;

use crate::command::ChildCommand;
use crate::error::SpawnError;
use crate::group::{self, ProcessGroup};
use crate::launch;
use crate::stderr::{Stderr, StderrLog};

/// How long a child may take to exit after its input was closed, and again after `SIGTERM`.
const GRACE: Duration = Duration::from_secs(2);

/// How long the rest of the process group may take to exit after `SIGTERM`.
const GROUP_GRACE: Duration = Duration::from_millis(500);

/// How long to wait for the group to be gone after a kill.
const GROUP_KILLED: Duration = Duration::from_millis(50);

/// How long to wait for the child to be gone after a kill.
const KILLED: Duration = Duration::from_secs(1);

/// How long a dropped child may take to exit after `SIGTERM`; this blocks a thread.
const DROP_GRACE: Duration = Duration::from_millis(150);

/// How long to wait for a dropped child to be gone after a kill; this blocks a thread.
const DROP_KILLED: Duration = Duration::from_millis(50);

/// How long to wait for the end of standard error after the program has exited.
const STDERR_END: Duration = Duration::from_millis(100);

/// How long a program that closed its output may take to exit.
const ABOUT_TO_END: Duration = Duration::from_millis(500);

/// A running child process. No process of its group outlives this value.
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

/// The pipes of a child. Dropping `stdin` signals the end of input to the child.
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
    /// The child's standard input.
    pub stdin: ChildStdin,
    /// The child's standard output.
    pub stdout: ChildStdout,
}

impl ChildProcess {
    /// Starts a child process. Its standard error is read and passed to `log`. Without a log, it is inherited from this
    /// process.
    ///
    /// # Errors
    ///
    /// Returns an error if the program or folder does not exist, or if the system cannot start it.
    ///
    /// # Panics
    ///
    /// Panics if called outside a tokio runtime with I/O enabled.
    pub fn spawn(
        command: &ChildCommand,
        log: Option<Box<dyn StderrLog>>,
    ) -> Result<(Self, ChildPipes), SpawnError> {
        let mut process = launch::prepare_command(command)?;
        let stderr = if log.is_some() { Stdio::piped() } else { Stdio::inherit() };
        process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr);
        let mut process = process.spawn().map_err(|error| launch::spawn_error(command, error))?;
        // The id is present, because the child was not waited for yet.
        let id = process.id().unwrap_or_default();
        let group = ProcessGroup::from_leader_pid(id);
        let stdin = process.stdin.take().expect("it is piped, as set above");
        let stdout = process.stdout.take().expect("it is piped, as set above");
        let read = process.stderr.take().zip(log);
        let stderr = read.map(|(stream, log)| Stderr::read(stream, log)).unwrap_or_default();
        Ok((Self { process, id, group, stderr, status: None }, ChildPipes { stdin, stdout }))
    }

    /// Returns the process id, which is also the id of the process group.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Returns the last lines of standard error, oldest first; empty if it is not read.
    pub fn stderr_tail(&self) -> Vec<String> {
        self.stderr.tail_lines()
    }

    /// Waits until the child has exited and its standard error has been read. Returns `None` if the system does not
    /// report the exit status. This method is cancel safe.
    pub async fn wait(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            self.status = self.process.wait().await.ok();
            self.group.record_leader_exit();
        }
        // Remaining processes of the group may keep the stream open forever.
        let _ = timeout(STDERR_END, self.stderr.wait_for_end()).await;
        self.status
    }

    /// Describes the exit and the last lines of standard error, for an error message: `exited with code 1`. Call it
    /// after [`wait`](Self::wait).
    pub fn describe_exit(&mut self) -> String {
        if self.status.is_none() {
            self.status = self.process.try_wait().ok().flatten();
            if self.status.is_some() {
                self.group.record_leader_exit();
            }
        }
        let how = match self.status {
            Some(status) => describe_exit(status),
            None => "has not exited".to_owned(),
        };
        let tail = self.stderr.tail_text();
        if tail.is_empty() {
            return how;
        }
        format!("{how}; its standard error ended with:\n{tail}")
    }

    /// Describes the exit, or the reason why the child may hang: `it exited with code 1`. Waits up to half a second for
    /// the exit; returns `None` if the child is still running and its standard error is empty.
    pub async fn exit_report(&mut self) -> Option<String> {
        let _ = timeout(ABOUT_TO_END, self.wait()).await;
        if self.status.is_some() {
            return Some(format!("it {}", self.describe_exit()));
        }
        let tail = self.stderr.tail_text();
        (!tail.is_empty()).then(|| format!("its standard error ended with:\n{tail}"))
    }

    /// Shuts down the child and its process group. Close its input first: the child has 2 seconds to exit before it
    /// receives `SIGTERM`, and again before `SIGKILL`. Takes at most 6 seconds.
    pub async fn shutdown(mut self) {
        if timeout(GRACE, self.wait()).await.is_err() {
            self.group.terminate_group();
            if timeout(GRACE, self.wait()).await.is_err() {
                self.group.kill_group();
                let _ = self.process.start_kill();
                let _ = timeout(KILLED, self.wait()).await;
            }
        }
        self.group.terminate_group();
        if !self.group.wait_until_gone(GROUP_GRACE).await {
            // No process survives this, but zombies may remain until their parent reaps them.
            self.group.kill_group();
            self.group.wait_until_gone(GROUP_KILLED).await;
        }
    }
}

/// Blocks the thread while it ends the child, because `drop` cannot await.
impl Drop for ChildProcess {
    fn drop(&mut self) {
        let Self { process, group, .. } = self;
        if group.is_gone() {
            return;
        }
        group.terminate_group();
        if !group::wait_blocking(DROP_GRACE, || is_gone(process, group)) {
            group.kill_group();
            let _ = process.start_kill();
            group::wait_blocking(DROP_KILLED, || is_gone(process, group));
        }
    }
}

/// Returns whether the child and its group are gone.
fn is_gone(process: &mut Child, group: &mut ProcessGroup) -> bool {
    // A child belongs to its group until it was waited for.
    if !matches!(process.try_wait(), Ok(None)) {
        group.record_leader_exit();
    }
    group.is_gone()
}

/// Formats a status: `exited with code 1`, `was killed by signal 9 (SIGKILL)`.
fn describe_exit(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("exited with code {code}"),
        // The status displays as `signal: 9 (SIGKILL)`.
        None => format!("was killed by {}", status.to_string().replacen(':', "", 1)),
    }
}
