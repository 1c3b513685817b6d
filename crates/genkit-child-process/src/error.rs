//! Errors of starting a program, with all messages of this crate.

use std::io;
use std::path::PathBuf;

/// The reason why a program was not started, with a remedy.
///
/// ```
/// use genkit_child_process::{ChildCommand, ChildProcess};
/// use std::io::ErrorKind;
///
/// let command = ChildCommand::new("/no/such/program");
/// let Err(error) = ChildProcess::spawn(&command, None) else { unreachable!() };
/// assert_eq!(error.kind(), ErrorKind::NotFound);
/// assert!(error.to_string().starts_with("cannot find the program `/no/such/program`"));
/// ```
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct SpawnError(#[from] Error);

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("the server's command is empty")]
    EmptyCommand,
    #[error("the server's command is a folder: {}", .0.display())]
    CommandIsFolder(PathBuf),
    #[error("`{}` is not executable; run `chmod +x`", .0.display())]
    NotExecutable(PathBuf),
    #[error("cannot find the program `{}` ({reason}); check the path", file.display())]
    ProgramNotFound { file: PathBuf, reason: io::Error },
    #[error("cannot find the program `{program}` in PATH ({folders}); {}", how_to_install(program))]
    NotInPath { program: String, folders: String },
    #[error("the `cwd` of the server is not a folder: {}", .0.display())]
    CwdIsNoFolder(PathBuf),
    #[error("cannot use the `cwd` of the server: {}: {reason}", folder.display())]
    Cwd { folder: PathBuf, reason: io::Error },
    #[error("cannot start `{program}`: {reason}{}", how_to_start(reason))]
    Start { program: String, reason: io::Error },
}

impl SpawnError {
    /// Returns the kind of error: `InvalidInput` if the command or the working directory is invalid, `Unsupported` if
    /// the file is not a program for this machine, otherwise the kind that the system reported.
    pub fn kind(&self) -> io::ErrorKind {
        match &self.0 {
            Error::EmptyCommand
            | Error::CommandIsFolder(_)
            | Error::CwdIsNoFolder(_)
            | Error::Cwd { .. } => io::ErrorKind::InvalidInput,
            Error::NotExecutable(_) => io::ErrorKind::PermissionDenied,
            Error::ProgramNotFound { .. } | Error::NotInPath { .. } => io::ErrorKind::NotFound,
            Error::Start { reason, .. } if is_no_program(reason) => io::ErrorKind::Unsupported,
            Error::Start { reason, .. } => reason.kind(),
        }
    }
}

/// Returns whether the error is `ENOEXEC`, which has no `ErrorKind`.
fn is_no_program(error: &io::Error) -> bool {
    error.raw_os_error() == Some(8)
}

fn how_to_start(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => {
            "; the file exists, but its first line (`#!..`) or its loader refers to a program that does not exist"
        }
        io::ErrorKind::PermissionDenied => "; make it executable (`chmod +x`)",
        io::ErrorKind::InvalidInput => "; an argument or a variable contains a NUL byte",
        _ if is_no_program(error) => {
            "; it is not a program for this machine; a script needs a first line such as \
             `#!/usr/bin/env node`"
        }
        _ => "",
    }
}

fn how_to_install(program: &str) -> &'static str {
    match program {
        "npx" | "node" | "npm" | "pnpm" | "yarn" => "install Node.js (https://nodejs.org)",
        "uvx" | "uv" => "install uv (https://docs.astral.sh/uv)",
        "docker" => "install Docker (https://docs.docker.com/get-docker)",
        "bun" | "bunx" => "install Bun (https://bun.sh)",
        "deno" => "install Deno (https://deno.com)",
        "python" => "install Python, or use `python3`",
        _ => "install it, or use its full path",
    }
}
