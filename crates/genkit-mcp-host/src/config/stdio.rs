//! A server that is a program of this machine.

use std::ffi::OsString;
use std::path::PathBuf;

use super::{Controls, controls};
use crate::transport::stdio::command::{Command, StderrTo};

/// Stdio transport to a server that is a program of this machine:
/// [`ServerConfig::stdio`](super::ServerConfig::stdio) makes it.
///
/// It gets a process group of its own, which ends with the connection: its input is closed, then it
/// gets `SIGTERM`, then it is killed with everything that it started.
///
/// ```
/// use genkit::mcp::host::{McpHost, ServerConfig};
///
/// # fn run(folder: &std::path::Path) -> genkit::Result<()> {
/// let host = McpHost::builder()
///     .server(
///         "fs",
///         ServerConfig::stdio("npx")
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
pub struct StdioTransport {
    pub(crate) command: Command,
    pub(crate) controls: Controls,
}

impl StdioTransport {
    /// Stdio transport, as [`ServerConfig::stdio`](super::ServerConfig::stdio) gives it.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self { command: Command::new(program.into()), controls: Controls::default() }
    }

    /// Adds an argument.
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.command.child.args.push(arg.into());
        self
    }

    /// Adds arguments.
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.command.child.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets a variable of its environment.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.command.child.env.insert(name.into(), value.into());
        self
    }

    /// Sets variables of its environment.
    pub fn envs(
        mut self,
        variables: impl IntoIterator<Item = (impl Into<OsString>, impl Into<OsString>)>,
    ) -> Self {
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        self.command.child.env.extend(variables);
        self
    }

    /// Inherited environment: whether it gets all variables of this program. Default is no: a
    /// server that somebody else wrote has no business with keys and tokens. It gets what programs
    /// need to run (`PATH`, `HOME`, the language, the time zone, the folder for temporary files)
    /// and what [`env`](Self::env) sets.
    pub fn inherit_env(mut self, yes: bool) -> Self {
        self.command.child.inherit_env = yes;
        self
    }

    /// Working directory: the folder that it runs in. Default is that of this program.
    pub fn cwd(mut self, folder: impl Into<PathBuf>) -> Self {
        self.command.child.cwd = Some(folder.into());
        self
    }

    /// Standard error: where it goes. Default is [`StderrTo::Log`].
    pub fn stderr(mut self, to: StderrTo) -> Self {
        self.command.stderr = to;
        self
    }

    /// Message limit: the longest message that is read, in bytes; what is longer fails its own call
    /// only. Default is 16 MiB.
    pub fn max_message(mut self, bytes: usize) -> Self {
        self.command.max_line = bytes;
        self
    }
}

controls!(StdioTransport);
