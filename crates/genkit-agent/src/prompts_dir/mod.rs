//! A folder of `.prompt` files that is read at run time, and watched in development.

mod watch;

use std::path::PathBuf;

use genkit_dotprompt::FolderFingerprint;

use genkit_core::Prompt;
use genkit_core::Registry;
use genkit_core::internal::action::prompts_in;
use genkit_core::internal::template::{Error as E, Templates};

/// The `.prompt` settings of a [`GenkitBuilder`](crate::instance::GenkitBuilder).
#[derive(Default)]
pub(crate) struct PromptFiles {
    pub(crate) dirs: Vec<PathBuf>,
    pub(crate) templates: Templates,
    pub(crate) watch: Option<bool>,
}

/// A folder, with the template data that it shares with the program.
#[derive(Clone)]
pub(crate) struct PromptsDir {
    path: PathBuf,
    templates: Templates,
}

impl PromptsDir {
    pub(crate) fn new(path: PathBuf, templates: Templates) -> Self {
        Self { path, templates }
    }

    /// Reads all files.
    ///
    /// # Errors
    /// All errors in all files.
    pub(crate) fn load(&self) -> Result<Vec<Prompt>, Vec<String>> {
        prompts_in(&self.path, &self.templates)
    }

    /// Creates the error for these errors in the files.
    pub(crate) fn error(&self, mistakes: Vec<String>) -> E {
        E::Folder { folder: self.path.display().to_string(), mistakes }
    }

    /// Returns a fingerprint that shows later whether a file has changed. Take it before [`load`](Self::load), so that
    /// no change in between is missed.
    pub(crate) fn look(&self) -> FolderFingerprint {
        FolderFingerprint::of(&self.path)
    }

    /// Reads the files again whenever one differs from `seen`, as long as the registry exists.
    pub(crate) fn watch(self, registry: &Registry, loaded: &[Prompt], seen: FolderFingerprint) {
        let names = loaded.iter().map(|prompt| prompt.name().to_owned()).collect();
        watch::watch(self, registry, names, seen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_between_reading_and_watching_is_seen() {
        let path = std::env::temp_dir().join(format!("genkit-between-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join("a.prompt"), "one").unwrap();
        let dir = PromptsDir::new(path.clone(), Templates::default());
        let seen = dir.look();
        let loaded = dir.load().unwrap();
        let registry = Registry::new().add(loaded.iter().cloned());
        std::fs::write(path.join("b.prompt"), "two").unwrap();
        dir.watch(&registry, &loaded, seen);
        // The watcher looks every 300 ms; a minute allows for a busy machine.
        let seen = (0..3000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(20));
            registry.prompts().len() == 2
        });
        assert!(seen, "the file that came in between");
        std::fs::remove_dir_all(path).unwrap();
    }
}
