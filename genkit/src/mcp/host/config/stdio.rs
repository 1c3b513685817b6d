//! A server that is a program of this machine.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use super::{Controls, controls};

/// Where a child's standard error goes. It is read in any case but the first, so that a server that
/// says much never waits; its last lines stand in the error when the server dies.
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

/// A server that is a program of this machine, and talks over its standard streams.
///
/// It gets a process group of its own, which ends with the connection: its input is closed, then it
/// is told to end, then it is killed with everything that it started.
///
/// ```
/// use genkit::mcp::{McpHost, StdioServer};
///
/// # fn run(folder: &std::path::Path) -> genkit::Result<()> {
/// let host = McpHost::builder()
///     .server(
///         "fs",
///         StdioServer::new("npx")
///             .args(["-y", "@modelcontextprotocol/server-filesystem"])
///             .arg(folder)
///             .env("NODE_ENV", "production")
///             .cwd(folder)
///             .except(["write_*", "edit_*", "move_*"]),
///     )
///     .build()?;
/// # let _ = host;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a server is connected by a host"]
pub struct StdioServer {
    pub(crate) command: Command,
    pub(crate) controls: Controls,
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

/// Longest line that is read. Default is 16 MiB.
const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

impl StdioServer {
    /// A server that is started as `program`, which is looked for in `PATH`.
    pub fn new(program: impl Into<OsString>) -> Self {
        let command = Command {
            program: program.into(),
            args: Vec::new(),
            env: BTreeMap::new(),
            inherit_env: false,
            cwd: None,
            stderr: StderrTo::default(),
            max_line: MAX_LINE_BYTES,
        };
        Self { command, controls: Controls::default() }
    }

    /// Adds an argument.
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.command.args.push(arg.into());
        self
    }

    /// Adds arguments.
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.command.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets a variable of its environment.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.command.env.insert(name.into(), value.into());
        self
    }

    /// Sets variables of its environment.
    pub fn envs(
        mut self,
        variables: impl IntoIterator<Item = (impl Into<OsString>, impl Into<OsString>)>,
    ) -> Self {
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        self.command.env.extend(variables);
        self
    }

    /// Whether it gets all variables of this program. Default is no: a server that somebody else
    /// wrote has no business with keys and tokens. It gets what programs need to run (`PATH`,
    /// `HOME`, the language, the time zone, the folder for temporary files) and what
    /// [`env`](Self::env) says.
    pub fn inherit_env(mut self, yes: bool) -> Self {
        self.command.inherit_env = yes;
        self
    }

    /// The folder that it runs in. Default is that of this program.
    pub fn cwd(mut self, folder: impl Into<PathBuf>) -> Self {
        self.command.cwd = Some(folder.into());
        self
    }

    /// Where its standard error goes. Default is [`StderrTo::Log`].
    pub fn stderr(mut self, to: StderrTo) -> Self {
        self.command.stderr = to;
        self
    }

    /// The longest message that is read, in bytes; what is longer fails its own call only. Default
    /// is 16 MiB.
    pub fn max_message(mut self, bytes: usize) -> Self {
        self.command.max_line = bytes;
        self
    }
}

controls!(StdioServer);
