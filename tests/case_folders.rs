//! Folders with cases: those of this repository, those that a variable lists, and those next to the repository.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A folder with cases.
#[derive(Debug)]
pub struct CaseFolder {
    /// Its name in counts and failures.
    pub name: String,
    path: PathBuf,
}

/// Returns the folders with cases, each once and in this order: `tests/fixtures/KIND` of this repository, those in
/// `variable` (separated as in `PATH`), and `../shared/fixtures/SHARED` next to the repository, if it exists.
///
/// # Panics
/// If the variable lists a folder that does not exist.
pub fn find(kind: &str, variable: &str, shared: &str) -> Vec<CaseFolder> {
    let more = std::env::var_os(variable).unwrap_or_default();
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("/"));
    find_in(repository, kind, (variable, &more), shared)
}

fn find_in(
    repository: &Path,
    kind: &str,
    (variable, more): (&str, &OsStr),
    shared: &str,
) -> Vec<CaseFolder> {
    let relative = |name: String| CaseFolder { path: repository.join(&name), name };
    let mut folders = vec![relative(format!("tests/fixtures/{kind}"))];
    for path in std::env::split_paths(more).filter(|path| !path.as_os_str().is_empty()) {
        assert!(path.is_dir(), "{variable} names {}, which is not a folder", path.display());
        folders.push(CaseFolder { name: path.display().to_string(), path });
    }
    folders.push(relative(format!("../shared/fixtures/{shared}")));
    folders.retain(|folder| folder.path.is_dir());
    // The same folder can be listed under two names, or through a link.
    let mut seen = HashSet::new();
    folders.retain(|folder| seen.insert(folder.path.canonicalize().ok()));
    folders
}

impl CaseFolder {
    /// Returns every file with that extension in the folder and its subfolders, sorted, with the name for failures.
    pub fn files(&self, extension: &str) -> Vec<(String, PathBuf)> {
        let mut files = Vec::new();
        collect(&self.path, extension, &mut files);
        files.sort();
        let named = |path: PathBuf| {
            let within = path.strip_prefix(&self.path).unwrap_or(&path);
            (format!("{}/{}", self.name, within.display()), path)
        };
        files.into_iter().map(named).collect()
    }
}

fn collect(folder: &Path, extension: &str, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{} cannot be read: {error}", folder.display()));
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, extension, files);
        } else if path.extension().is_some_and(|own| own == extension) {
            files.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a repository in the folder of this program, with `names` next to it and below it.
    fn repository(test: &str, names: &[&str]) -> PathBuf {
        let program = std::env::current_exe().unwrap();
        let root = program.parent().unwrap().join("case_folders").join(test);
        let _ = std::fs::remove_dir_all(&root);
        for name in names {
            std::fs::create_dir_all(root.join(name)).unwrap();
        }
        root.join("repository")
    }

    fn names(repository: &Path, more: &OsStr) -> Vec<String> {
        let folders = find_in(repository, "wire", ("CASES", more), "wire");
        folders.into_iter().map(|folder| folder.name).collect()
    }

    const OWN: &str = "repository/tests/fixtures/wire";

    #[test]
    fn fresh_clone_has_our_own_cases_alone() {
        assert_eq!(names(&repository("clone", &[OWN]), OsStr::new("")), ["tests/fixtures/wire"]);
    }

    #[test]
    fn others_follow_each_once() {
        let root = repository("others", &[OWN, "shared/fixtures/wire", "further"]);
        let further = root.join("../further");
        let again = root.join("../shared/fixtures/wire");
        let both = std::env::join_paths([&further, &further]).unwrap();
        let name = further.display().to_string();
        assert_eq!(
            names(&root, &both),
            ["tests/fixtures/wire", &name, "../shared/fixtures/wire"],
            "a folder is read once"
        );
        assert_eq!(
            names(&root, again.as_os_str()),
            ["tests/fixtures/wire", &again.display().to_string()]
        );
    }

    #[test]
    #[should_panic(expected = "CASES names nowhere/at/all, which is not a folder")]
    fn named_folder_must_be_there() {
        names(&repository("missing", &[OWN]), OsStr::new("nowhere/at/all"));
    }

    #[test]
    fn files_are_named_with_their_folder() {
        let root = repository("files", &[&format!("{OWN}/responses")]);
        let file = root.join("tests/fixtures/wire/responses/one.json");
        std::fs::write(&file, "{}").unwrap();
        std::fs::write(root.join("tests/fixtures/wire/README.md"), "").unwrap();
        let folders = find_in(&root, "wire", ("CASES", OsStr::new("")), "wire");
        let name = "tests/fixtures/wire/responses/one.json".to_owned();
        assert_eq!(folders[0].files("json"), [(name, file)]);
    }
}
