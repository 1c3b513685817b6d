//! Files and folders: names of runs, and a new file that is whole or not there.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::error::Error as E;
use genkit_core::Result;
use genkit_core::RunId;

/// The folder of one run.
pub(super) struct RunFolder(PathBuf);

impl RunFolder {
    pub(super) fn new(runs: &Path, run: &RunId) -> Self {
        Self(runs.join(file_name(run)))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// The numbers of the files whose names are `prefix`, a number and `suffix`, in their order.
    pub(super) fn numbers(&self, prefix: &str, suffix: &str) -> Result<Vec<u64>> {
        let number = |entry: FolderEntry| {
            entry.name.strip_prefix(prefix)?.strip_suffix(suffix)?.parse().ok()
        };
        let mut numbers: Vec<u64> = list(&self.0)?.into_iter().filter_map(number).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Makes a file of this name, which is whole then, and on the disk where it is `lasting`. `false` where there is
    /// one.
    pub(super) fn write_new(&self, name: &str, text: &str, lasting: bool) -> Result<bool> {
        // By chance, and never one that is there: after a crash it may be another name of what was linked.
        let beside = self.0.join(format!("new-{}", genkit_core::internal::error::reference()));
        let written = self.link_new(&beside, &self.0.join(name), text, lasting);
        // The name is not needed any more, whatever came of it.
        let removed = fs::remove_file(&beside);
        let is_new =
            written.map_err(|source| failed(&self.0, "a file cannot be written", source))?;
        removed.map_err(|source| failed(&self.0, "a file cannot be removed", source))?;
        Ok(is_new)
    }

    fn link_new(&self, beside: &Path, place: &Path, text: &str, lasting: bool) -> io::Result<bool> {
        let mut file = OpenOptions::new().write(true).create_new(true).open(beside)?;
        file.write_all(text.as_bytes())?;
        if lasting {
            file.sync_all()?;
        }
        match fs::hard_link(beside, place) {
            Ok(()) if !lasting => Ok(true),
            Ok(()) => flush_folder(&self.0).map(|()| true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The text of a file; `None` where there is none.
    pub(super) fn read(&self, name: &str) -> Result<Option<String>> {
        match fs::read_to_string(self.0.join(name)) {
            Ok(text) => Ok(Some(text)),
            Err(error) if is_gone(&error) => Ok(None),
            Err(error) => Err(failed(&self.0, "a file cannot be read", error)),
        }
    }
}

/// A file of a folder.
pub(super) struct FolderEntry {
    pub(super) name: String,
    pub(super) modified_ms: u64,
}

/// What is in a folder; nothing where there is none.
pub(super) fn list(folder: &Path) -> Result<Vec<FolderEntry>> {
    let unreadable = |source| failed(folder, "it cannot be listed", source);
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if is_gone(&error) => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(error)),
    };
    let mut listed = Vec::new();
    for entry in entries {
        let entry = entry.map_err(unreadable)?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let modified = entry.metadata().and_then(|data| data.modified());
        let since =
            modified.unwrap_or(SystemTime::UNIX_EPOCH).duration_since(SystemTime::UNIX_EPOCH);
        let modified_ms = u64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(u64::MAX);
        listed.push(FolderEntry { name, modified_ms });
    }
    Ok(listed)
}

/// Makes a folder, with those above it, and flushes that it is there.
pub(super) fn make_folder(folder: &Path) -> Result<()> {
    let made = create_private(folder).and_then(|()| match folder.parent() {
        Some(above) if !above.as_os_str().is_empty() => flush_folder(above),
        _ => Ok(()),
    });
    made.map_err(|source| failed(folder, "it cannot be made", source))
}

/// For this user alone: runs hold conversations.
#[cfg(unix)]
fn create_private(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn create_private(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

/// Makes an empty file.
pub(super) fn mark(file: &Path) -> Result<()> {
    let made = OpenOptions::new().create(true).append(true).open(file).and_then(|file| {
        file.sync_all()?;
        Ok(())
    });
    let made = made.and_then(|()| file.parent().map_or(Ok(()), flush_folder));
    made.map_err(|source| failed(file, "it cannot be made", source))
}

pub(super) fn remove_file(file: &Path) -> Result<()> {
    match fs::remove_file(file) {
        Err(error) if !is_gone(&error) => Err(failed(file, "it cannot be removed", error)),
        _ => Ok(()),
    }
}

pub(super) fn remove_folder(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if !is_gone(&error) => Err(failed(folder, "it cannot be removed", error)),
        _ => Ok(()),
    }
}

/// The name of a run's files. File systems may take `A` for `a`, so a large letter has a mark that no id has.
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

/// The run whose files have this name.
pub(super) fn run_id(name: &str) -> Option<RunId> {
    let mut id = String::new();
    let mut letters = name.chars();
    while let Some(letter) = letters.next() {
        id.push(if letter == '+' { letters.next()?.to_ascii_uppercase() } else { letter });
    }
    RunId::new(id).ok().filter(|run| file_name(run) == name)
}

/// Brings the names of a folder to the disk.
#[cfg(unix)]
fn flush_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Where a folder cannot be opened as a file, its names are the system's own care.
#[cfg(not(unix))]
fn flush_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn failed(folder: &Path, what: &'static str, source: io::Error) -> genkit_core::Error {
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
