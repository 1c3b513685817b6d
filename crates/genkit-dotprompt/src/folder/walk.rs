//! Reading of the files in a folder, within limits.

use std::fs::{self, ReadDir};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::Error;
use crate::error_kind::ErrorKind;
use crate::limits::{MAX_FILES, MAX_FOLDER_BYTES, MAX_FOLDERS, MAX_SOURCE_BYTES};

/// A `.prompt` file.
pub(super) struct File {
    /// The path relative to the folder, without `.prompt` and with `/` as the separator.
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) source: Arc<str>,
}

/// Returns all files, sorted by name, and the errors of files that cannot be read.
///
/// # Errors
/// Returns an error if the folder cannot be read or is too large.
pub(super) fn list_files(root: &Path) -> Result<(Vec<File>, Vec<Error>), Vec<Error>> {
    let (mut files, mut bytes, mut errors) = (Vec::new(), 0, Vec::new());
    let ended = visit_entries(root, &mut |Entry { name, path, blocked }| {
        match blocked.map_or_else(|| read(&path), Err) {
            Ok(source) => {
                bytes += source.len();
                if bytes > MAX_FOLDER_BYTES {
                    let what = format!("contains more than {MAX_FOLDER_BYTES} bytes of prompts");
                    return Err(folder_error(root, what));
                }
                files.push(File { name, path, source: source.into() });
            }
            Err(what) => errors.push(file_error(&path, what)),
        }
        Ok(())
    });
    // A limit on the whole folder ends the walk.
    if let Err(error) = ended {
        errors.push(error);
        return Err(errors);
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    Ok((files, errors))
}

/// A `.prompt` file, or a link or subfolder that is omitted.
pub(super) struct Entry {
    /// The path relative to the folder, without `.prompt` and with `/` as the separator.
    pub(super) name: String,
    pub(super) path: PathBuf,
    /// The reason why the link or subfolder is omitted.
    pub(super) blocked: Option<String>,
}

/// Visits a folder and its subfolders, in the order of the file system.
pub(super) fn visit_entries(
    root: &Path,
    visit: &mut dyn FnMut(Entry) -> Result<(), Error>,
) -> Result<(), Error> {
    match root.canonicalize() {
        Ok(canonical) if canonical.is_dir() => {
            let entries = open_folder(root, 1).map_err(|what| folder_error(root, what))?;
            FolderWalk { root: canonical, entries: 0, visit }.visit_folder(root, entries, "", 1)
        }
        Ok(_) => Err(folder_error(root, "is not a folder".to_owned())),
        Err(error) => Err(folder_error(root, format!("cannot be read: {error}"))),
    }
}

struct FolderWalk<'v> {
    root: PathBuf,
    entries: usize,
    visit: &'v mut dyn FnMut(Entry) -> Result<(), Error>,
}

impl FolderWalk<'_> {
    fn visit_folder(
        &mut self,
        path: &Path,
        entries: ReadDir,
        prefix: &str,
        depth: usize,
    ) -> Result<(), Error> {
        let unreadable = |error| folder_error(path, format!("cannot be read: {error}"));
        for entry in entries {
            let entry = entry.map_err(unreadable)?;
            self.entries += 1;
            if self.entries > MAX_FILES {
                let what = format!("has more than {MAX_FILES} entries");
                return Err(folder_error(&self.root, what));
            }
            let file_name = entry.file_name();
            let name = file_name.to_string_lossy();
            if name.starts_with('.') {
                continue;
            }
            let path = entry.path();
            let kind = entry.file_type().map_err(unreadable)?;
            let is_folder = if kind.is_symlink() { path.is_dir() } else { kind.is_dir() };
            let stem = name.strip_suffix(".prompt");
            if !is_folder && stem.is_none() {
                continue;
            }
            let mut blocked = if kind.is_symlink() { self.blocked_reason(&path) } else { None };
            if is_folder && blocked.is_none() {
                match open_folder(&path, depth + 1) {
                    Ok(entries) => {
                        let prefix = format!("{prefix}{name}/");
                        self.visit_folder(&path, entries, &prefix, depth + 1)?;
                        continue;
                    }
                    // The rest of the folder is still read.
                    Err(why) => blocked = Some(why),
                }
            }
            let name = format!("{prefix}{}", stem.unwrap_or(&name));
            (self.visit)(Entry { name, path, blocked })?;
        }
        Ok(())
    }

    /// Returns the reason why a link is not followed.
    fn blocked_reason(&self, link: &Path) -> Option<String> {
        match link.canonicalize() {
            Ok(target) if target.starts_with(&self.root) => None,
            Ok(_) => Some("is a link that leads out of the folder".to_owned()),
            Err(error) => Some(format!("cannot be read: {error}")),
        }
    }
}

/// Opens a folder, or returns the reason why it is omitted.
fn open_folder(path: &Path, depth: usize) -> Result<ReadDir, String> {
    if depth > MAX_FOLDERS {
        return Err(format!(
            "is nested more than {MAX_FOLDERS} folders deep, or is a link to one of its parents"
        ));
    }
    fs::read_dir(path).map_err(|error| format!("cannot be read: {error}"))
}

/// Reads a file within the limit.
fn read(path: &Path) -> Result<String, String> {
    let read = genkit_files::read_regular_file(path, MAX_SOURCE_BYTES as u64);
    let mut bytes = read.map_err(|error| match error {
        genkit_files::Error::NotRegular => "is not a file".to_owned(),
        genkit_files::Error::TooLarge(limit) => format!("is larger than {limit} bytes"),
        error => format!("cannot be read: {error}"),
    })?;
    // Some editors begin a file with a byte order mark.
    if bytes.starts_with("\u{feff}".as_bytes()) {
        bytes.drain(..3);
    }
    String::from_utf8(bytes)
        .map_err(|error| format!("is not valid UTF-8 at byte {}", error.utf8_error().valid_up_to()))
}

fn file_error(path: &Path, what: String) -> Error {
    Error::new(ErrorKind::File(what)).in_file(&path.to_string_lossy().into())
}

/// Creates an error about a folder. For a relative path, the error includes the working directory.
fn folder_error(path: &Path, what: String) -> Error {
    let mut shown = format!("`{}`", path.display());
    if let (true, Ok(from)) = (path.is_relative(), std::env::current_dir()) {
        shown += &format!(" (in `{}`)", from.display());
    }
    Error::new(ErrorKind::Folder { path: shown, what })
}
