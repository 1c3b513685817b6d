//! The project's root: where the CLI looks for programs. Both must come to the same folder.

use std::path::{Path, PathBuf};

/// What makes a folder the root, in the CLI's own list. `Cargo.toml` is not in it.
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

/// The first folder from `current` upwards that has a marker, else `current`.
pub(super) fn project_root(current: &Path) -> PathBuf {
    let has_marker = |folder: &&Path| MARKERS.iter().any(|marker| folder.join(marker).exists());
    current.ancestors().find(has_marker).unwrap_or(current).to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::http::scratch;

    #[test]
    fn it_is_found_as_the_cli_finds_it() {
        let folder = scratch("root");
        let deep = folder.join("a/b/c");
        fs::create_dir_all(&deep).unwrap();
        let outside = project_root(&deep);
        fs::write(deep.join("Cargo.toml"), "").unwrap();
        assert_eq!(project_root(&deep), outside, "the CLI does not know `Cargo.toml`");
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
