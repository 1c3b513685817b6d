//! Watching a folder: it is checked periodically, and its prompts are replaced as one set.

use std::time::Duration;

use genkit_dotprompt::FolderFingerprint;

use super::PromptsDir;
use genkit_core::Registry;
use genkit_core::internal::registry::WeakRegistry;

/// The interval between two checks of the folder. Default is 300 milliseconds.
const INTERVAL: Duration = Duration::from_millis(300);

pub(super) fn watch(
    dir: PromptsDir,
    registry: &Registry,
    names: Vec<String>,
    seen: FolderFingerprint,
) {
    let watcher = Watcher { registry: registry.downgrade(), dir, names, seen };
    let thread = std::thread::Builder::new().name("genkit-prompts".to_owned());
    if let Err(error) = thread.spawn(move || watcher.run()) {
        tracing::error!(%error, "prompts are not watched; failed to start a thread");
    }
}

struct Watcher {
    registry: WeakRegistry,
    dir: PromptsDir,
    /// The names of the prompts that the registry has from this folder.
    names: Vec<String>,
    seen: FolderFingerprint,
}

impl Watcher {
    fn run(mut self) {
        loop {
            std::thread::sleep(INTERVAL);
            let Some(registry) = self.registry.upgrade() else { return };
            let now = self.dir.look();
            if now != self.seen {
                self.seen = now;
                self.replace(&registry);
            }
        }
    }

    /// Replaces the prompts of the folder. If a file has an error, the prompts stay unchanged.
    fn replace(&mut self, registry: &Registry) {
        let folder = self.dir.path.display();
        let prompts = match self.dir.load() {
            Ok(prompts) => prompts,
            Err(mistakes) => {
                let error = self.dir.error(mistakes);
                tracing::error!(%folder, "prompts stay unchanged: {error}");
                return;
            }
        };
        let names: Vec<String> = prompts.iter().map(|prompt| prompt.name().to_owned()).collect();
        // Applies the same checks as `build`.
        let checked = Registry::new().add(prompts.iter().cloned()).check();
        match checked.and_then(|()| registry.replace_prompts(&self.names, prompts)) {
            Ok(()) => {
                tracing::info!(%folder, prompts = names.len(), "reloaded the prompts");
                self.names = names;
            }
            Err(error) => tracing::error!(%folder, "prompts stay unchanged: {error}"),
        }
    }
}
