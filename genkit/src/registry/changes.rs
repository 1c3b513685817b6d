//! Changes of a registry: a version that grows, and those who watch it.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

use tokio::sync::Notify;

use crate::sync::lock;

/// Updated resources that a watcher is told one by one, if it does not read. Default is 1,000; more
/// are told as any.
const MAX_UPDATED: usize = 1_000;

/// A change that servers notify their clients of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RegistryChange {
    Tools,
    Prompts,
    Resources,
    ResourceUpdated(Arc<str>),
}

/// Changes that were not read yet: each is there once, however often it was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChangeSet {
    pub(crate) tools: bool,
    pub(crate) prompts: bool,
    pub(crate) resources: bool,
    pub(crate) updated: BTreeSet<Arc<str>>,
    /// More resources than are kept were updated: it may be any.
    pub(crate) any_updated: bool,
}

impl ChangeSet {
    pub(crate) fn add(&mut self, change: RegistryChange) {
        match change {
            RegistryChange::Tools => self.tools = true,
            RegistryChange::Prompts => self.prompts = true,
            RegistryChange::Resources => self.resources = true,
            RegistryChange::ResourceUpdated(_) if self.any_updated => {}
            RegistryChange::ResourceUpdated(uri) => {
                self.updated.insert(uri);
                if self.updated.len() > MAX_UPDATED {
                    self.updated.clear();
                    self.any_updated = true;
                }
            }
        }
    }

    #[cfg(feature = "mcp-server")]
    pub(crate) fn is_empty(&self) -> bool {
        !(self.tools || self.prompts || self.resources || self.any_updated)
            && self.updated.is_empty()
    }
}

/// Sees the changes of a registry while it is there. A registry never waits for it.
#[derive(Default)]
pub(crate) struct Watcher {
    unread: Mutex<ChangeSet>,
    news: Notify,
}

#[cfg(feature = "mcp-server")]
impl Watcher {
    /// Waits for a change that was made since this was called last.
    pub(crate) async fn news(&self) {
        self.news.notified().await;
    }

    /// Everything that was not read.
    pub(crate) fn take(&self) -> ChangeSet {
        std::mem::take(&mut lock(&self.unread))
    }
}

#[derive(Default)]
pub(super) struct Changes {
    version: AtomicU64,
    watchers: Mutex<Vec<Weak<Watcher>>>,
}

impl Changes {
    /// Grows with each change of a list.
    #[cfg(feature = "mcp-server")]
    pub(super) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    #[cfg(feature = "mcp-server")]
    pub(super) fn watch(&self) -> Arc<Watcher> {
        let watcher = Arc::default();
        lock(&self.watchers).push(Arc::downgrade(&watcher));
        watcher
    }

    /// A list changed.
    pub(super) fn list_changed(&self, change: RegistryChange) {
        self.version.fetch_add(1, Ordering::AcqRel);
        self.send(change);
    }

    pub(super) fn send(&self, change: RegistryChange) {
        lock(&self.watchers).retain(|watcher| {
            let Some(watcher) = watcher.upgrade() else { return false };
            lock(&watcher.unread).add(change.clone());
            watcher.news.notify_one();
            true
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn updated(uri: &str) -> RegistryChange {
        RegistryChange::ResourceUpdated(uri.into())
    }

    #[test]
    fn a_change_is_unread_once_however_often_it_was_made() {
        let mut changes = ChangeSet::default();
        for _ in 0..3 {
            changes.add(RegistryChange::Tools);
            changes.add(updated("note://1"));
        }
        assert!(changes.tools && !changes.prompts && !changes.any_updated);
        assert_eq!(changes.updated.len(), 1);
    }

    #[test]
    fn of_many_updated_resources_only_that_there_were_some_is_kept() {
        let mut changes = ChangeSet::default();
        for number in 0..=MAX_UPDATED {
            changes.add(updated(&format!("note://{number}")));
        }
        changes.add(updated("note://again"));
        assert!(changes.any_updated && changes.updated.is_empty());
    }
}
