//! Servers that are local programs.

use std::ffi::OsString;
use std::path::PathBuf;

use super::{Controls, controls};
use crate::transport::stdio::command::{Command, StderrTo};

/// A stdio transport to a server that is a local program; created by
/// [`ServerConfig::stdio`](super::ServerConfig::stdio).
///
/// The program runs in its own process group. When the connection is closed, the standard input of the program is
/// closed first. If the program keeps running, the group receives `SIGTERM`, and is finally killed.
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
#[must_use = "a transport does nothing until a host connects to it"]
pub struct StdioTransport {
    pub(crate) command: Command,
    pub(crate) controls: Controls,
}

impl StdioTransport {
    /// Creates a stdio transport, like [`ServerConfig::stdio`](super::ServerConfig::stdio).
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

    /// Sets an environment variable of the program.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.command.child.env.insert(name.into(), value.into());
        self
    }

    /// Sets several environment variables of the program.
    pub fn envs(
        mut self,
        variables: impl IntoIterator<Item = (impl Into<OsString>, impl Into<OsString>)>,
    ) -> Self {
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        self.command.child.env.extend(variables);
        self
    }

    /// Sets whether the program inherits the whole environment of this process. Default is `false`: a third-party
    /// server must not see keys and tokens by accident. It receives the variables that programs need to run (`PATH`,
    /// `HOME`, locale, time zone, the folder for temporary files) and the variables set with [`env`](Self::env).
    pub fn inherit_env(mut self, yes: bool) -> Self {
        self.command.child.inherit_env = yes;
        self
    }

    /// Sets the working directory of the program. Default is the working directory of this process.
    pub fn cwd(mut self, folder: impl Into<PathBuf>) -> Self {
        self.command.child.cwd = Some(folder.into());
        self
    }

    /// Sets the destination of standard error. Default is [`StderrTo::Log`].
    pub fn stderr(mut self, to: StderrTo) -> Self {
        self.command.stderr = to;
        self
    }

    /// Sets the message limit, the maximum size of a message from the server, in bytes. A larger message fails only its
    /// own call. Default is 16 MiB.
    pub fn max_message(mut self, bytes: usize) -> Self {
        self.command.max_line = bytes;
        self
    }
}

controls!(StdioTransport);
