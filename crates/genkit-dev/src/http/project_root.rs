//! The root of the project, where the CLI searches for programs. This program and the CLI must find
//! the same folder.

use std::path::{Path, PathBuf};

/// The files that mark the root, from the CLI's own list, which does not include `Cargo.toml`.
const MARKERS: [&str; 8] = [
    "package.json",
    "go.mod",
    "pyproject.toml",
    "requirements.txt",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "pubspec.yaml",
];

/// Returns the nearest ancestor of `current` with a marker, or `current` itself.
pub(super) fn project_root(current: &Path) -> PathBuf {
    let has_marker = |folder: &&Path| MARKERS.iter().any(|marker| folder.join(marker).exists());
    current.ancestors().find(has_marker).unwrap_or(current).to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::http::create_test_folder;

    #[test]
    fn project_root_is_found_like_in_the_cli() {
        let folder = create_test_folder("root");
        let deep = folder.join("a/b/c");
        fs::create_dir_all(&deep).unwrap();
        let outside = project_root(&deep);
        fs::write(deep.join("Cargo.toml"), "").unwrap();
        assert_eq!(project_root(&deep), outside, "the CLI ignores `Cargo.toml`");
        for marker in MARKERS {
            fs::write(folder.join("a").join(marker), "").unwrap();
            assert_eq!(project_root(&deep), folder.join("a"), "{marker}");
            fs::remove_file(folder.join("a").join(marker)).unwrap();
        }
        fs::write(folder.join("go.mod"), "").unwrap();
        fs::write(folder.join("a/b/package.json"), "").unwrap();
        assert_eq!(project_root(&deep), folder.join("a/b"), "the nearest counts");
        fs::remove_dir_all(folder).unwrap();
    }
}
