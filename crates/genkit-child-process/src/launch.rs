//! The program of a child: its file and its environment.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use tokio::process::Command;

use crate::command::ChildCommand;
use crate::error::Error;
use crate::group_id::lead_group;

/// The variables that programs need to run; keys and tokens are not passed on.
#[rustfmt::skip]
const INHERITED: &[&str] = if cfg!(windows) {
    &[
        "APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS",
        "OS", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES",
        "PROGRAMFILES(X86)", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME",
        "USERPROFILE", "WINDIR",
    ]
} else {
    &["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"]
};

/// The search path if `PATH` is not set.
const PATH_WITHOUT_PATH: &str = if cfg!(unix) { "/usr/local/bin:/usr/bin:/bin" } else { "" };

/// The maximum number of folders that an error lists; a `PATH` may have hundreds.
const NAMED_FOLDERS: usize = 12;

/// Prepares the `Command`, except for the streams.
pub(crate) fn prepare_command(command: &ChildCommand) -> Result<Command, Error> {
    if let Some(folder) = &command.cwd {
        check_folder(folder)?;
    }
    let environment = child_environment(command);
    let mut process = Command::new(find_program(command, &environment)?);
    process.args(&command.args).env_clear().envs(environment);
    if let Some(folder) = &command.cwd {
        process.current_dir(folder);
    }
    lead_group(&mut process, &command.program).map_err(|reason| spawn_error(command, reason))?;
    Ok(process)
}

/// Creates the error of a failed start.
pub(crate) fn spawn_error(command: &ChildCommand, reason: io::Error) -> Error {
    Error::Start { program: command.program.display().to_string(), reason }
}

/// Returns the environment of the child.
fn child_environment(command: &ChildCommand) -> BTreeMap<OsString, OsString> {
    let mut environment: BTreeMap<_, _> = std::env::vars_os()
        .filter(|(name, value)| command.inherit_env || is_inherited(name, value))
        .collect();
    environment.extend(command.env.clone());
    environment
}

fn is_inherited(name: &OsStr, value: &OsStr) -> bool {
    // Old shells execute such values as code.
    let is_function = value.as_encoded_bytes().starts_with(b"()");
    let is_locale = name.as_encoded_bytes().starts_with(b"LC_");
    (is_locale || INHERITED.iter().any(|known| is_same(name, known))) && !is_function
}

/// Returns whether two names refer to the same variable.
fn is_same(name: &OsStr, known: &str) -> bool {
    if cfg!(windows) { name.eq_ignore_ascii_case(known) } else { name == known }
}

fn check_folder(folder: &Path) -> Result<(), Error> {
    match folder.metadata() {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err(Error::CwdIsNoFolder(folder.to_owned())),
        Err(reason) => Err(Error::Cwd { folder: folder.to_owned(), reason }),
    }
}

/// Finds the file of the program, using the child's `PATH`.
fn find_program(
    command: &ChildCommand,
    environment: &BTreeMap<OsString, OsString>,
) -> Result<PathBuf, Error> {
    let program = Path::new(&command.program);
    if program.as_os_str().is_empty() {
        return Err(Error::EmptyCommand);
    }
    // Relative paths refer to the folder that the child runs in.
    let folder = command.cwd.clone().unwrap_or_default();
    let path = environment.iter().find(|(name, _)| is_same(name, "PATH"));
    let path = path.map_or(OsStr::new(PATH_WITHOUT_PATH), |(_, value)| value);
    if let Ok(file) = which::which_in(program, Some(path), &folder) {
        // A relative path would refer to another file after the child changes to its folder.
        return Ok(std::path::absolute(&file).unwrap_or(file));
    }
    if program.components().count() > 1 || program.is_absolute() {
        return Err(not_runnable(folder.join(program)));
    }
    let folders: Vec<PathBuf> = std::env::split_paths(path).collect();
    let mut named: Vec<String> =
        folders.iter().take(NAMED_FOLDERS).map(|folder| folder.display().to_string()).collect();
    if folders.len() > NAMED_FOLDERS {
        named.push(format!("and {} more", folders.len() - NAMED_FOLDERS));
    }
    Err(Error::NotInPath { program: program.display().to_string(), folders: named.join(", ") })
}

/// Returns the reason why a file given by path cannot be run.
fn not_runnable(file: PathBuf) -> Error {
    match file.metadata() {
        Ok(metadata) if metadata.is_dir() => Error::CommandIsFolder(file),
        Ok(_) => Error::NotExecutable(file),
        Err(reason) => Error::ProgramNotFound { file, reason },
    }
}
