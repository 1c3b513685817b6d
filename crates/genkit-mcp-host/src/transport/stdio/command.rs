//! The command of a server that is a child process.

use std::ffi::OsString;

use genkit_child_process::ChildCommand;

/// The destination of a child process's standard error. Unless standard error is inherited, it is always read, so that
/// a server with much output never blocks. If the server dies, the error contains its last lines.
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
    /// This program's own standard error, unchanged.
    Inherit,
    /// Discarded.
    Discard,
    /// `tracing`, one event at `debug` for each line.
    #[default]
    Log,
}

/// The longest line that is read, in bytes. Default is 16 MiB.
pub(crate) const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

/// The command to run, and how its streams are read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Command {
    pub(crate) child: ChildCommand,
    pub(crate) stderr: StderrTo,
    /// The longest line that is read, in bytes.
    pub(crate) max_line: usize,
}

impl Command {
    /// Creates a command that runs `program` without arguments.
    pub(crate) fn new(program: OsString) -> Self {
        let child = ChildCommand::new(program);
        Self { child, stderr: StderrTo::default(), max_line: MAX_LINE_BYTES }
    }
}
