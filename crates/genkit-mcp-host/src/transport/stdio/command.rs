//! The command of a server that is a child process.

use std::ffi::OsString;

use genkit_child_process::ChildCommand;

/// Standard error of a child process: where it goes. It is read in any case but the first, so that
/// a server that writes much never waits; its last lines stand in the error when the server dies.
///
/// ```
/// use genkit::mcp::host::{ServerConfig, StderrTo};
///
/// let quiet = ServerConfig::stdio("chatty-server").stderr(StderrTo::Discard);
/// # let _ = quiet;
/// assert_eq!(StderrTo::default(), StderrTo::Log);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StderrTo {
    /// To this program's own standard error, untouched.
    Inherit,
    /// To nowhere.
    Discard,
    /// To `tracing`, one event at `debug` for each line.
    #[default]
    Log,
}

/// Longest line that is read. Default is 16 MiB.
const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

/// What is run, and how its streams are read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Command {
    pub(crate) child: ChildCommand,
    pub(crate) stderr: StderrTo,
    /// Longest line that is read, in bytes.
    pub(crate) max_line: usize,
}

impl Command {
    /// Runs `program` without arguments.
    pub(crate) fn new(program: OsString) -> Self {
        let child = ChildCommand::new(program);
        Self { child, stderr: StderrTo::default(), max_line: MAX_LINE_BYTES }
    }
}
