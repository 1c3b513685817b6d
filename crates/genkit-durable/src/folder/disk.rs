//! Files and folders: the names of runs, and atomic creation of files.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::error::Error as E;
use genkit_core::Result;
use genkit_core::RunId;

/// The maximum size of a run file that is read, in bytes. Default is 256 MiB.
const MAX_RUN_FILE: u64 = 256 * 1024 * 1024;

/// The folder of one run.
pub(super) struct RunFolder(PathBuf);

impl RunFolder {
    pub(super) fn new(runs: &Path, run: &RunId) -> Self {
        Self(runs.join(file_name(run)))
    }

    pub(super) fn folder_path(&self) -> &Path {
        &self.0
    }

    /// Returns the numbers of the files named `prefix`, a number and `suffix`, in ascending order.
    pub(super) fn list_numbers(&self, prefix: &str, suffix: &str) -> Result<Vec<u64>> {
        let number = |name: &String| name.strip_prefix(prefix)?.strip_suffix(suffix)?.parse().ok();
        let mut numbers: Vec<u64> = list_folder(&self.0)?.iter().filter_map(number).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Creates a file with this name atomically, and flushes it to disk if `lasting` is set. Returns `false` if the
    /// file already exists, if `check` returns `false`, or if the folder is removed after `check`, even if it is
    /// recreated.
    pub(super) fn write_new(
        &self,
        name: &str,
        text: &str,
        lasting: bool,
        check: impl FnOnce() -> Result<bool>,
    ) -> Result<bool> {
        // A random name, because a temporary file that a crash left behind may still be a link to a finished file.
        let beside = self.0.join(format!("new-{}", genkit_core::internal::error::new_reference()));
        let written = write_file(&beside, text, lasting)
            .map_err(|source| io_error(&self.0, "write a file in the run folder", source));
        // The file is written before the check, so that a removal of the folder after the check also removes the file.
        let checked = written.and_then(|()| check());
        let linked = checked.and_then(|may_link| match may_link {
            true => self
                .link_new(&beside, &self.0.join(name), lasting)
                .map_err(|source| io_error(&self.0, "write a file in the run folder", source)),
            false => Ok(false),
        });
        // The temporary file is no longer needed, even if the link was not created.
        let removed = remove_file(&beside);
        let is_new = linked?;
        removed?;
        Ok(is_new)
    }

    fn link_new(&self, beside: &Path, place: &Path, lasting: bool) -> io::Result<bool> {
        match fs::hard_link(beside, place) {
            Ok(()) if !lasting => Ok(true),
            Ok(()) => flush_folder(&self.0).map(|()| true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) if is_gone(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Removes temporary files that killed processes left more than an hour ago, because they contain parts of the
    /// conversation.
    pub(super) fn remove_leftovers(&self, now_ms: u64) -> Result<()> {
        for name in list_folder(&self.0)? {
            let file = self.0.join(&name);
            if name.starts_with("new-") && modified_ms(&file).saturating_add(3_600_000) < now_ms {
                remove_file(&file)?;
            }
        }
        Ok(())
    }

    /// Creates the error for a file that cannot be read. It names the folder of the run.
    pub(super) fn torn_file(&self, name: &str) -> E {
        let folder = self.0.file_name().unwrap_or_default().to_string_lossy();
        E::TornFile(format!("{folder}/{name}"))
    }

    /// Reads a file. Returns `None` if it does not exist.
    pub(super) fn read(&self, name: &str) -> Result<Option<String>> {
        let torn = || self.torn_file(name).into();
        match genkit_files::read_regular_file(&self.0.join(name), MAX_RUN_FILE) {
            Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|_| torn()),
            Err(genkit_files::Error::Io(error)) if is_gone(&error) => Ok(None),
            Err(genkit_files::Error::Io(error)) if error.kind() != ErrorKind::IsADirectory => {
                Err(io_error(&self.0, "read a file in the run folder", error))
            }
            // Too large or not a regular file: this store did not write it.
            Err(_) => Err(torn()),
        }
    }
}

fn write_file(file: &Path, text: &str, lasting: bool) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(file)?;
    file.write_all(text.as_bytes())?;
    if lasting { file.sync_all() } else { Ok(()) }
}

/// Lists the names in a folder. The list is empty if the folder does not exist.
pub(super) fn list_folder(folder: &Path) -> Result<Vec<String>> {
    let unreadable = |source| io_error(folder, "list the run folder", source);
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if is_gone(&error) => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(error)),
    };
    let names = entries.map(|entry| entry.map(|entry| entry.file_name().into_string()));
    let names: io::Result<Vec<_>> = names.collect();
    Ok(names.map_err(unreadable)?.into_iter().flatten().collect())
}

/// Returns the last modification time of a file or of the entries of a folder. Returns `None` if it is unknown.
pub(super) fn modified(file: &Path) -> Option<SystemTime> {
    fs::symlink_metadata(file).and_then(|data| data.modified()).ok()
}

/// Returns the last modification time of a file, in milliseconds since the Unix epoch, or 0 if the
/// time is unknown.
pub(super) fn modified_ms(file: &Path) -> u64 {
    let modified = modified(file).unwrap_or(SystemTime::UNIX_EPOCH);
    let since = modified.duration_since(SystemTime::UNIX_EPOCH);
    u64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(u64::MAX)
}

/// Creates a folder and its parents, and flushes the entry to disk.
pub(super) fn make_folder(folder: &Path) -> Result<()> {
    create_folder(folder).map_err(|source| io_error(folder, "create the run folder", source))
}

/// Creates the folder of a store, or opens it.
pub(super) fn open_folder(folder: &Path) -> Result<()> {
    create_folder(folder)
        .map_err(|source| E::CannotOpen { folder: folder.display().to_string(), source }.into())
}

fn create_folder(folder: &Path) -> io::Result<()> {
    create_private(folder).and_then(|()| match folder.parent() {
        Some(above) if !above.as_os_str().is_empty() => flush_folder(above),
        _ => Ok(()),
    })
}

/// Creates a folder that only this user can access, since runs contain conversations.
#[cfg(unix)]
fn create_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn create_private(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

/// Creates an empty file. An existing file is not opened, since it may be a pipe.
pub(super) fn touch_file(file: &Path) -> Result<()> {
    let made = match OpenOptions::new().write(true).create_new(true).open(file) {
        Ok(file) => file.sync_all(),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    };
    let made = made.and_then(|()| file.parent().map_or(Ok(()), flush_folder));
    made.map_err(|source| io_error(file, "create the file", source))
}

pub(super) fn remove_file(file: &Path) -> Result<()> {
    match fs::remove_file(file) {
        Err(error) if !is_gone(&error) => Err(io_error(file, "remove the file", error)),
        _ => Ok(()),
    }
}

pub(super) fn remove_folder(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if !is_gone(&error) => Err(io_error(folder, "remove the run folder", error)),
        _ => Ok(()),
    }
}

/// Returns the file name of a run. Some file systems ignore case, so capital letters are escaped with a character that
/// ids do not contain.
pub(super) fn file_name(run: &RunId) -> String {
    let mut name = String::new();
    for letter in run.as_str().chars() {
        if letter.is_ascii_uppercase() {
            name.push('+');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

/// Returns the run with this file name.
pub(super) fn run_id(name: &str) -> Option<RunId> {
    let mut id = String::new();
    let mut letters = name.chars();
    while let Some(letter) = letters.next() {
        id.push(if letter == '+' { letters.next()?.to_ascii_uppercase() } else { letter });
    }
    RunId::new(id).ok().filter(|run| file_name(run) == name)
}

/// Flushes the entries of a folder to disk.
#[cfg(unix)]
fn flush_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Does nothing, because this operating system cannot open a folder as a file. It flushes the entries itself.
#[cfg(not(unix))]
fn flush_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn io_error(folder: &Path, what: &'static str, source: io::Error) -> genkit_core::Error {
    E::Folder { folder: folder.display().to_string(), what, source }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_tell_runs_apart_where_letters_have_no_size() {
        for (id, name) in [("order-1", "order-1"), ("Order", "+order"), ("aB.C_9", "a+b.+c_9")] {
            let run = RunId::new(id).expect(id);
            assert_eq!(file_name(&run), name);
            assert_eq!(run_id(name), Some(run));
        }
        for other in ["+", "A", "x+", "+1", ".x", "", "new-1-2~"] {
            assert_eq!(run_id(other), None, "{other}");
        }
    }
}
