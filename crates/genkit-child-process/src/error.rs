//! Errors: what keeps a program from being started, with all messages of this crate.

use std::io;
use std::path::PathBuf;

/// Why a program was not started, and how to mend it.
///
/// ```
/// use genkit_child_process::{ChildCommand, ChildProcess};
/// use std::io::ErrorKind;
///
/// let command = ChildCommand::new("/no/such/program");
/// let Err(error) = ChildProcess::spawn(&command, None) else { unreachable!() };
/// assert_eq!(error.kind(), ErrorKind::NotFound);
/// assert!(error.to_string().starts_with("there is no program `/no/such/program`"));
/// ```
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct SpawnError(#[from] Error);

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("the server's command is empty")]
    NoCommand,
    #[error("the server's command is a folder: {}", .0.display())]
    CommandIsFolder(PathBuf),
    #[error("`{}` may not be run: make it executable (`chmod +x`)", .0.display())]
    NotExecutable(PathBuf),
    #[error("there is no program `{}` ({source}): check the path", file.display())]
    NoFile { file: PathBuf, source: io::Error },
    #[error("there is no program `{program}` in PATH ({folders}): {}", how_to_install(program))]
    NotInPath { program: String, folders: String },
    #[error("the `cwd` of the server is no folder: {}", .0.display())]
    CwdIsNoFolder(PathBuf),
    #[error("the `cwd` of the server cannot be used: {}: {source}", folder.display())]
    Cwd { folder: PathBuf, source: io::Error },
    #[error("cannot start `{program}`: {source}{}", how_to_start(source))]
    Start { program: String, source: io::Error },
}

impl SpawnError {
    /// What kind of failure it is: `InvalidInput` if the command cannot be meant, `Unsupported` if the
    /// file is no program of this machine, otherwise what the system said.
    pub fn kind(&self) -> io::ErrorKind {
        match &self.0 {
            Error::NoCommand
            | Error::CommandIsFolder(_)
            | Error::CwdIsNoFolder(_)
            | Error::Cwd { .. } => io::ErrorKind::InvalidInput,
            Error::NotExecutable(_) => io::ErrorKind::PermissionDenied,
            Error::NoFile { .. } | Error::NotInPath { .. } => io::ErrorKind::NotFound,
            Error::Start { source, .. } if is_no_program(source) => io::ErrorKind::Unsupported,
            Error::Start { source, .. } => source.kind(),
        }
    }
}

/// `ENOEXEC`, which has no kind of its own.
fn is_no_program(error: &io::Error) -> bool {
    error.raw_os_error() == Some(8)
}

fn how_to_start(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => {
            ": it is there, so its first line (`#!..`) or its loader names a program that is not"
        }
        io::ErrorKind::PermissionDenied => ": make it executable (`chmod +x`)",
        io::ErrorKind::InvalidInput => ": an argument or a variable has a NUL byte in it",
        _ if is_no_program(error) => {
            ": it is no program of this machine; a script needs a first line like \
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
        "python" => "install Python, or say `python3`",
        _ => "install it, or give the full path of the program",
    }
}
