//! A folder of `.prompt` files that is read at run time, and watched in development.

use std::path::PathBuf;
use std::time::Duration;

use genkit_dotprompt::FolderFingerprint;

use genkit_core::Prompt;
use genkit_core::Registry;
use genkit_core::internal::action::{LoadedPrompts, load_prompts_in};
use genkit_core::internal::registry::WeakRegistry;
use genkit_core::internal::template::{Error as E, Templates};

/// The interval between two checks of the folder. Default is 300 milliseconds.
const INTERVAL: Duration = Duration::from_millis(300);

/// The `.prompt` settings of an [`InstanceBuilder`](crate::instance::InstanceBuilder).
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

    /// Reads all files. Files with errors or with an invalid prompt name are skipped.
    ///
    /// # Errors
    /// Returns all errors in all files if no prompt can be used.
    pub(crate) fn load_prompts(&self) -> Result<LoadedPrompts, Vec<String>> {
        let mut loaded = load_prompts_in(&self.path, &self.templates)?;
        loaded.prompts.retain(|prompt| {
            let checked = Registry::new().add([prompt.clone()]).check();
            loaded.errors.extend(checked.as_ref().err().map(ToString::to_string));
            checked.is_ok()
        });
        if loaded.prompts.is_empty() && !loaded.errors.is_empty() {
            return Err(loaded.errors);
        }
        Ok(loaded)
    }

    /// Logs the errors of files that are skipped.
    pub(crate) fn log_mistakes(&self, mistakes: &[String]) {
        let folder = self.path.display();
        for mistake in mistakes {
            tracing::error!(%folder, "skipping a file: {mistake}");
        }
    }

    /// Creates an error that lists these errors in the files.
    pub(crate) fn folder_error(&self, mistakes: Vec<String>) -> E {
        E::Folder { folder: self.path.display().to_string(), mistakes }
    }

    /// Returns a fingerprint of the files, which differs if a file changes. Call this before
    /// [`load_prompts`](Self::load_prompts), so that a change during loading is detected.
    pub(crate) fn take_fingerprint(&self) -> FolderFingerprint {
        FolderFingerprint::read(&self.path)
    }

    /// Reloads the files when one differs from `seen`, as long as the registry exists.
    pub(crate) fn start_watching(
        self,
        registry: &Registry,
        loaded: &[Prompt],
        seen: FolderFingerprint,
    ) {
        let names = loaded.iter().map(|prompt| prompt.name().to_owned()).collect();
        let watcher = Watcher { registry: registry.downgrade(), dir: self, names, seen };
        let thread = std::thread::Builder::new().name("genkit-prompts".to_owned());
        if let Err(error) = thread.spawn(move || watcher.watch_folder()) {
            tracing::error!(
                %error,
                "failed to start a thread that watches the prompts; restart the program after you change a \
                 prompt file"
            );
        }
    }
}

/// Checks the folder periodically, and replaces its prompts as one set.
struct Watcher {
    registry: WeakRegistry,
    dir: PromptsDir,
    /// The names of the prompts in the registry that were loaded from this folder.
    names: Vec<String>,
    seen: FolderFingerprint,
}

impl Watcher {
    fn watch_folder(mut self) {
        loop {
            std::thread::sleep(INTERVAL);
            let Some(registry) = self.registry.upgrade() else { return };
            let now = self.dir.take_fingerprint();
            if now != self.seen {
                self.seen = now;
                self.replace_prompts(&registry);
            }
        }
    }

    /// Replaces the prompts of the folder. A prompt whose file has an error stays unchanged.
    fn replace_prompts(&mut self, registry: &Registry) {
        let folder = self.dir.path.display();
        let loaded = match self.dir.load_prompts() {
            Ok(loaded) => loaded,
            Err(mistakes) => {
                let error = self.dir.folder_error(mistakes);
                tracing::error!(%folder, "keeping the previous prompts: {error}");
                return;
            }
        };
        self.dir.log_mistakes(&loaded.errors);
        let mut prompts = loaded.prompts;
        let is_kept = |prompt: &Prompt| {
            let name = prompt.name().to_owned();
            self.names.contains(&name) && loaded.broken.contains(&name)
        };
        prompts.extend(registry.prompts().into_iter().filter(is_kept));
        let names: Vec<String> = prompts.iter().map(|prompt| prompt.name().to_owned()).collect();
        match registry.replace_prompts(&self.names, prompts) {
            Ok(()) => {
                tracing::info!(%folder, prompts = names.len(), "reloaded the prompts");
                self.names = names;
            }
            Err(error) => tracing::error!(%folder, "keeping the previous prompts: {error}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn change_between_reading_and_watching_is_seen() {
        let path = std::env::temp_dir().join(format!("genkit-between-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join("a.prompt"), "one").unwrap();
        let dir = PromptsDir::new(path.clone(), Templates::default());
        let seen = dir.take_fingerprint();
        let loaded = dir.load_prompts().unwrap().prompts;
        let registry = Registry::new().add(loaded.iter().cloned());
        std::fs::write(path.join("b.prompt"), "two").unwrap();
        dir.start_watching(&registry, &loaded, seen);
        // The watcher checks the folder every 300 ms; the timeout of one minute allows for a busy machine.
        let seen = (0..3000).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(20));
            registry.prompts().len() == 2
        });
        assert!(seen, "the file written after the fingerprint is loaded");
        std::fs::remove_dir_all(path).unwrap();
    }
}
