//! Changes of a registry: a version that grows, and a broadcast to those who notify clients.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::broadcast;

/// Changes that a subscriber may lag behind before it must read everything again. Default is 256.
const BACKLOG: usize = 256;

/// A change that servers notify their clients of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RegistryChange {
    Tools,
    Prompts,
    Resources,
    ResourceUpdated(String),
}

pub(super) struct Changes {
    version: AtomicU64,
    sender: broadcast::Sender<RegistryChange>,
}

impl Default for Changes {
    fn default() -> Self {
        Self { version: AtomicU64::new(0), sender: broadcast::channel(BACKLOG).0 }
    }
}

impl Changes {
    /// Grows with each change of a list.
    #[cfg(feature = "mcp-server")]
    pub(super) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    #[cfg(feature = "mcp-server")]
    pub(super) fn subscribe(&self) -> broadcast::Receiver<RegistryChange> {
        self.sender.subscribe()
    }

    /// A list changed.
    pub(super) fn list_changed(&self, change: RegistryChange) {
        self.version.fetch_add(1, Ordering::AcqRel);
        self.send(change);
    }

    pub(super) fn send(&self, change: RegistryChange) {
        // No subscribers are fine.
        let _ = self.sender.send(change);
    }
}
