//! The command of a server that is a child process.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

/// Where a child's standard error goes. It is read in any case but the first, so that a server that
/// writes much never waits; its last lines stand in the error when the server dies.
///
/// ```
/// use genkit::mcp::{StderrTo, StdioServer};
///
/// let quiet = StdioServer::new("chatty-server").stderr(StderrTo::Discard);
/// # let _ = quiet;
/// assert_eq!(StderrTo::default(), StderrTo::Log);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StderrTo {
    /// This program's own standard error, untouched.
    Inherit,
    /// Nowhere.
    Discard,
    /// `tracing`, one event at `debug` for each line.
    #[default]
    Log,
}

/// What is run, and how.
#[derive(Clone, PartialEq)]
pub(crate) struct Command {
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
    pub(crate) env: BTreeMap<OsString, OsString>,
    pub(crate) inherit_env: bool,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) stderr: StderrTo,
    /// Longest line that is read, in bytes.
    pub(crate) max_line: usize,
}

/// Longest line that is read. Default is 16 MiB.
const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

impl Command {
    /// Runs `program` without arguments.
    pub(crate) fn new(program: OsString) -> Self {
        Self {
            program,
            args: Vec::new(),
            env: BTreeMap::new(),
            inherit_env: false,
            cwd: None,
            stderr: StderrTo::default(),
            max_line: MAX_LINE_BYTES,
        }
    }
}

/// Arguments and variables hold keys and tokens: their values are not shown.
impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Command")
            .field("program", &self.program)
            .field("args", &self.args.len())
            .field("env", &self.env.keys().collect::<Vec<_>>())
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}
