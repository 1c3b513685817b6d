//! Detection of changes in a folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::walk::{self, Entry};

/// A fingerprint of a folder, used to detect whether its files have changed. It contains the modification times and the
/// lengths of all files that [`Folder::read`](super::Folder::read) reads.
///
/// ```no_run
/// use genkit_dotprompt::FolderFingerprint;
///
/// let before = FolderFingerprint::read("prompts");
/// // … some time later …
/// let has_changed = FolderFingerprint::read("prompts") != before;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderFingerprint(BTreeMap<PathBuf, (Option<SystemTime>, u64)>);

impl FolderFingerprint {
    /// Returns the current fingerprint of a folder. Links that are not followed and subfolders that cannot be opened
    /// are included with their paths only. Entries beyond the limit of a folder are omitted.
    pub fn read(path: impl AsRef<Path>) -> Self {
        let mut seen = BTreeMap::new();
        // Errors are reported when the folder is read.
        let _ = walk::visit_entries(path.as_ref(), &mut |Entry { path, blocked, .. }| {
            // For a broken link, or a link out of the folder, record only that it exists.
            let about = if blocked.is_none() { std::fs::metadata(&path).ok() } else { None };
            let changed = about.as_ref().and_then(|about| about.modified().ok());
            seen.insert(path, (changed, about.map_or(0, |about| about.len())));
            Ok(())
        });
        Self(seen)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn change_behind_a_link_is_seen() {
        let folder =
            std::env::temp_dir().join(format!("genkit-fingerprint-{}", std::process::id()));
        let root = folder.join("prompts");
        std::fs::create_dir_all(root.join("own")).unwrap();
        let write = |path: &str, text: &str| std::fs::write(folder.join(path), text).unwrap();
        write("prompts/own/a.prompt", "a");
        write("prompts/text", "t");
        write("outside", "o");
        symlink(root.join("own"), root.join("linked")).unwrap();
        symlink(root.join("text"), root.join("b.prompt")).unwrap();
        symlink(folder.join("outside"), root.join("out.prompt")).unwrap();
        let names = |seen: &FolderFingerprint| {
            let names = seen.0.keys().map(|path| path.strip_prefix(&root).unwrap());
            names.map(|name| name.display().to_string()).collect::<Vec<_>>()
        };
        let first = FolderFingerprint::read(&root);
        assert_eq!(names(&first), ["b.prompt", "linked/a.prompt", "out.prompt", "own/a.prompt"]);
        write("prompts/text", "longer");
        let second = FolderFingerprint::read(&root);
        assert_ne!(first, second);
        write("outside", "longer");
        write("prompts/.hidden.prompt", "");
        assert_eq!(FolderFingerprint::read(&root), second);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
