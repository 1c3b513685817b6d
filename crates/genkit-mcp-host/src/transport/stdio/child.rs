//! The child process of a server, with its pipes as a transport and its standard error as a log.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use genkit_child_process::{ChildPipes, ChildProcess, StderrLog};
use tokio::process::{ChildStdin, ChildStdout};

use super::command::{Command, StderrTo};
use super::error::from_spawn_error;
use super::pipe::PipeTransport;
use crate::transport::redact::Redactor;
use genkit_core::Result;
use genkit_core::internal::visible;

/// Starts a server and opens the pipe to it.
///
/// # Errors
/// Returns an error if the program or folder does not exist, or if the system cannot start the program.
///
/// # Panics
/// Panics outside a tokio runtime with I/O enabled.
pub(crate) fn spawn_child(
    key: &str,
    command: &Command,
    redactor: Redactor,
) -> Result<(ChildProcess, PipeTransport<ChildStdout, ChildStdin>)> {
    let log = ServerLog {
        key: key.to_owned(),
        redactor: redactor.clone(),
        is_shown: command.stderr == StderrTo::Log,
    };
    let log: Option<Box<dyn StderrLog>> =
        (command.stderr != StderrTo::Inherit).then_some(Box::new(log));
    let (child, ChildPipes { stdin, stdout }) =
        ChildProcess::spawn(&command.child, log).map_err(from_spawn_error)?;
    let pipe = PipeTransport::new(key, stdout, stdin, command.max_line).with_redactor(redactor);
    Ok((child, pipe))
}

/// Logs a server's standard error.
struct ServerLog {
    key: String,
    redactor: Redactor,
    is_shown: bool,
}

impl StderrLog for ServerLog {
    fn redact<'a>(&self, line: &'a str) -> Cow<'a, str> {
        let hidden = self.redactor.redact_text(line);
        // Otherwise, escape codes could reach a terminal through an error.
        Cow::Owned(visible::escape_line(&hidden.replace('\t', "    ")).into_owned())
    }

    fn line(&mut self, line: &str) {
        if self.is_shown {
            tracing::debug!(target: "genkit::mcp", server = %self.key, "{line}");
        }
    }

    fn left_out(&mut self, lines: u64) {
        if self.is_shown {
            tracing::debug!(
                target: "genkit::mcp", server = %self.key,
                "omitted {lines} lines of standard error"
            );
        }
    }
}
