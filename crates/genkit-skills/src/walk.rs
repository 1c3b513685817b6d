//! Traversal of a folder, within limits.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::limits::{MAX_DEPTH, MAX_ENTRIES, MAX_PATH};

/// A file in the folder.
pub(crate) struct Entry {
    /// The path relative to the folder, with `/` as the separator.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) size: u64,
    /// Whether the file is a link, or is reached through a link.
    pub(crate) is_linked: bool,
}

/// The contents of a folder: all files by name, and the folders in it.
#[derive(Default)]
pub(crate) struct FolderContents {
    pub(crate) files: Vec<Entry>,
    pub(crate) folders: Vec<String>,
    /// The entries that cannot be used, by path relative to the folder.
    pub(crate) errors: Vec<(String, Error)>,
}

/// Traverses a folder and its subfolders. Names that start with a dot are ignored.
///
/// # Errors
/// Returns an error if the folder itself cannot be read or has too many entries.
pub(crate) fn walk_folder(root: &Path) -> Result<FolderContents, Vec<Error>> {
    let canonical = match root.canonicalize() {
        Ok(canonical) if canonical.is_dir() => canonical,
        Ok(_) => {
            return Err(vec![Error::for_file(
                display_path(root),
                "is not a folder; use the path of the folder of skills",
            )]);
        }
        Err(error) => {
            return Err(vec![Error::for_file(
                display_missing_path(root),
                unreadable_message(&error),
            )]);
        }
    };
    let mut walk = FolderWalk { canonical, seen: 0, found: FolderContents::default() };
    walk.visit_folder(root, "", 1, false);
    if walk.seen > MAX_ENTRIES {
        let what = format!("has more than {MAX_ENTRIES} entries; keep only skills in the folder");
        return Err(vec![Error::for_file(display_path(&walk.canonical), what)]);
    }
    walk.found.files.sort_by(|a, b| a.name.cmp(&b.name));
    walk.found.folders.sort();
    Ok(walk.found)
}

struct FolderWalk {
    canonical: PathBuf,
    seen: usize,
    found: FolderContents,
}

impl FolderWalk {
    fn visit_folder(&mut self, path: &Path, prefix: &str, depth: usize, is_linked: bool) {
        if depth > MAX_DEPTH {
            let what = format!(
                "has folders nested more than {MAX_DEPTH} deep; move the folders up, or remove the link to a \
                 parent folder"
            );
            return self.reject(prefix, Error::for_file(display_path(path), what));
        }
        let entries = match fs::read_dir(path) {
            Ok(entries) => entries,
            Err(error) => {
                let error = Error::for_file(display_path(path), unreadable_message(&error));
                return self.reject(prefix, error);
            }
        };
        for entry in entries {
            self.seen += 1;
            if self.seen > MAX_ENTRIES {
                return;
            }
            match entry {
                Ok(entry) => self.visit_entry(&entry, prefix, depth, is_linked),
                Err(error) => {
                    let error = Error::for_file(display_path(path), unreadable_message(&error));
                    self.reject(prefix, error);
                }
            }
        }
    }

    fn reject(&mut self, name: &str, error: Error) {
        self.found.errors.push((name.to_owned(), error));
    }

    fn visit_entry(&mut self, entry: &fs::DirEntry, prefix: &str, depth: usize, is_linked: bool) {
        let path = entry.path();
        let file_name = entry.file_name();
        let Some(name) = file_name.to_str() else {
            let what = "has a name that is not valid UTF-8, which a URI requires; rename the file";
            return self.reject(prefix, Error::for_file(display_path(&path), what));
        };
        if name.starts_with('.') {
            return;
        }
        if name.contains(|c: char| c.is_control() || c == '\\') {
            let what = "has a name with a control character or a backslash; rename the file";
            let shown = path.to_string_lossy().escape_debug().to_string();
            return self.reject(prefix, Error::for_file(shown, what));
        }
        let name = format!("{prefix}{name}");
        let is_linked = is_linked || entry.file_type().is_ok_and(|kind| kind.is_symlink());
        if is_linked && let Err(why) = self.check_within(&path) {
            return self.reject(&name, Error::for_file(display_path(&path), why));
        }
        let about = match fs::metadata(&path) {
            Ok(about) => about,
            Err(error) => {
                let error = Error::for_file(display_path(&path), unreadable_message(&error));
                return self.reject(&name, error);
            }
        };
        if name.len() > MAX_PATH {
            let what = format!("has a path that is longer than {MAX_PATH} bytes; shorten the path");
            self.reject(&name, Error::for_file(display_path(&path), what));
        } else if about.is_dir() {
            self.visit_folder(&path, &format!("{name}/"), depth + 1, is_linked);
            self.found.folders.push(name);
        } else if about.is_file() {
            self.found.files.push(Entry { name, path, size: about.len(), is_linked });
        } else {
            let what = "is not a regular file; remove it from the skill";
            self.reject(&name, Error::for_file(display_path(&path), what));
        }
    }

    /// Checks that the target of a link is in the folder.
    fn check_within(&self, link: &Path) -> Result<(), String> {
        match link.canonicalize() {
            Ok(target) if target.starts_with(&self.canonical) => Ok(()),
            Ok(_) => {
                Err("is a link that leads out of the folder; replace the link with the file"
                    .to_owned())
            }
            Err(error) => Err(unreadable_message(&error)),
        }
    }
}

pub(crate) fn display_path(path: &Path) -> String {
    path.display().to_string()
}

/// Formats a path for an error. For a relative path, the text includes the working directory.
fn display_missing_path(path: &Path) -> String {
    match std::env::current_dir() {
        Ok(from) if path.is_relative() => format!("{} (in {})", path.display(), from.display()),
        _ => display_path(path),
    }
}

pub(crate) fn unreadable_message(error: &std::io::Error) -> String {
    format!("cannot be read: {error}")
}
