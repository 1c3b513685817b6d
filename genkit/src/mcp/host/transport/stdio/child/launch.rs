//! Finding the program of a server, and what it gets from us.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};
use crate::mcp::host::config::Command;

/// What a program needs to run, and no more: keys and tokens stay here.
#[cfg(unix)]
const INHERITED: &[&str] =
    &["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];
/// What a program needs to run, and no more: keys and tokens stay here.
#[cfg(not(unix))]
const INHERITED: &[&str] = &[
    "APPDATA",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "NUMBER_OF_PROCESSORS",
    "OS",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "PROGRAMFILES(X86)",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
];

/// Where the system looks if there is no `PATH`.
#[cfg(unix)]
const PATH_WITHOUT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// Where the system looks if there is no `PATH`.
#[cfg(not(unix))]
const PATH_WITHOUT_PATH: &str = "";

/// Folders that an error names; a `PATH` may have hundreds.
const NAMED_FOLDERS: usize = 12;

/// The command as the system takes it, but for its streams.
pub(crate) fn prepare(command: &Command) -> Result<tokio::process::Command> {
    if let Some(folder) = &command.cwd {
        check_folder(folder)?;
    }
    let environment = environment(command);
    let mut process = tokio::process::Command::new(find(command, &environment)?);
    process.args(&command.args).env_clear().envs(environment);
    if let Some(folder) = &command.cwd {
        process.current_dir(folder);
    }
    #[cfg(unix)]
    process.arg0(&command.program).process_group(0);
    // Where there are no groups, this is all that can be done.
    #[cfg(not(unix))]
    process.kill_on_drop(true);
    Ok(process)
}

/// The error of a start that the system refused.
pub(crate) fn failed(command: &Command, error: io::Error) -> Error {
    let program = command.program.display();
    let (kind, remedy) = match error.kind() {
        io::ErrorKind::NotFound => (
            ErrorKind::NotFound,
            ": it is there, so its first line (`#!..`) or its loader names a program that is not",
        ),
        io::ErrorKind::PermissionDenied => {
            (ErrorKind::PermissionDenied, ": make it executable (`chmod +x`)")
        }
        io::ErrorKind::InvalidInput => {
            (ErrorKind::InvalidArgument, ": an argument or a variable has a NUL byte in it")
        }
        _ if error.raw_os_error() == Some(8) => (
            ErrorKind::FailedPrecondition,
            ": it is no program of this machine; a script needs a first line like \
             `#!/usr/bin/env node`",
        ),
        _ => (ErrorKind::Unavailable, ""),
    };
    Error::new(kind, format!("cannot start `{program}`: {error}{remedy}")).with_source(error)
}

/// The environment that the child gets.
fn environment(command: &Command) -> BTreeMap<OsString, OsString> {
    let mut environment: BTreeMap<_, _> = std::env::vars_os()
        .filter(|(name, value)| command.inherit_env || is_inherited(name, value))
        .collect();
    environment.extend(command.env.clone());
    environment
}

fn is_inherited(name: &OsStr, value: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    let listed = |known: &str| {
        if cfg!(windows) { known.eq_ignore_ascii_case(name) } else { known == name }
    };
    // Old shells run what such a value says.
    let is_function = value.as_encoded_bytes().starts_with(b"()");
    (INHERITED.iter().any(|known| listed(known)) || name.starts_with("LC_")) && !is_function
}

fn check_folder(folder: &Path) -> Result<()> {
    let shown = folder.display();
    match folder.metadata() {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => {
            Err(Error::invalid_argument(format!("the `cwd` of the server is no folder: {shown}")))
        }
        Err(error) => {
            let message = format!("the `cwd` of the server cannot be used: {shown}: {error}");
            Err(Error::invalid_argument(message).with_source(error))
        }
    }
}

/// The file of the program, by the `PATH` that the child gets.
fn find(command: &Command, environment: &BTreeMap<OsString, OsString>) -> Result<PathBuf> {
    let program = Path::new(&command.program);
    let shown = program.display();
    if program.as_os_str().is_empty() {
        return Err(Error::invalid_argument("the server's command is empty"));
    }
    // Relative paths mean the folder that the child runs in.
    let here = command.cwd.clone().unwrap_or_default();
    if program.components().count() > 1 || program.is_absolute() {
        let file = here.join(program);
        if let Some(found) = executable(&file) {
            return Ok(absolute(found));
        }
        return Err(no_program(&file));
    }
    let path = environment.iter().find(|(name, _)| is_path(name)).map(|(_, value)| value);
    let folders: Vec<PathBuf> =
        std::env::split_paths(path.map_or(OsStr::new(PATH_WITHOUT_PATH), |path| path)).collect();
    let found = folders.iter().find_map(|folder| executable(&here.join(folder).join(program)));
    if let Some(found) = found {
        return Ok(absolute(found));
    }
    let mut looked: Vec<String> =
        folders.iter().take(NAMED_FOLDERS).map(|folder| folder.display().to_string()).collect();
    if folders.len() > NAMED_FOLDERS {
        looked.push(format!("and {} more", folders.len() - NAMED_FOLDERS));
    }
    let looked = looked.join(", ");
    let remedy = remedy(&command.program);
    let message = format!("there is no program `{shown}` in PATH ({looked}): {remedy}");
    Err(Error::not_found(message))
}

fn is_path(name: &OsStr) -> bool {
    if cfg!(windows) { name.eq_ignore_ascii_case("PATH") } else { name == "PATH" }
}

/// A child may change its folder before it starts.
fn absolute(file: PathBuf) -> PathBuf {
    std::path::absolute(&file).unwrap_or(file)
}

/// Why a file with a path cannot be run.
fn no_program(file: &Path) -> Error {
    let shown = file.display();
    match file.metadata() {
        Ok(metadata) if metadata.is_dir() => {
            Error::invalid_argument(format!("the server's command is a folder: {shown}"))
        }
        Ok(_) => {
            let message = format!("`{shown}` may not be run: make it executable (`chmod +x`)");
            Error::new(ErrorKind::PermissionDenied, message)
        }
        Err(error) => {
            let message = format!("there is no program `{shown}` ({error}): check the path");
            Error::not_found(message).with_source(error)
        }
    }
}

/// What usually helps where a program is missing.
fn remedy(program: &OsStr) -> &'static str {
    match program.to_str() {
        Some("npx" | "node" | "npm" | "pnpm" | "yarn") => "install Node.js (https://nodejs.org)",
        Some("uvx" | "uv") => "install uv (https://docs.astral.sh/uv)",
        Some("docker") => "install Docker (https://docs.docker.com/get-docker)",
        Some("bun" | "bunx") => "install Bun (https://bun.sh)",
        Some("deno") => "install Deno (https://deno.com)",
        Some("python") => "install Python, or say `python3`",
        _ => "install it, or give the full path of the program",
    }
}

/// The file, if it may be run.
#[cfg(unix)]
fn executable(file: &Path) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt as _;
    let metadata = file.metadata().ok()?;
    (metadata.is_file() && metadata.permissions().mode() & 0o111 != 0).then(|| file.to_owned())
}

/// The file, with one of the endings that programs have.
#[cfg(not(unix))]
fn executable(file: &Path) -> Option<PathBuf> {
    let with = |ending: &str| {
        let mut name = file.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    let named = file.extension().is_some().then(|| file.to_owned());
    let candidates = named.into_iter().chain([".exe", ".cmd", ".bat", ".com"].map(with));
    candidates.into_iter().find(|file| file.is_file())
}
