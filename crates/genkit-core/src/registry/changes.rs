//! Changes of a registry: a version number, and the watchers of changes.

use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

use tokio::sync::Notify;

use crate::sync::lock;

/// The number of updated resources that a watcher is notified of individually while it is not reading. Default is
/// 1,000; beyond that, it is only notified that some resource was updated.
const MAX_UPDATED: usize = 1_000;

/// A change that servers notify their clients of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RegistryChange {
    Tools,
    Prompts,
    Resources,
    ResourceUpdated(Arc<str>),
}

/// Unread changes. Each distinct change is stored once, in the order of first occurrence.
#[derive(Clone, Debug, Default)]
pub struct ChangeSet {
    order: VecDeque<RegistryChange>,
    lists: Vec<RegistryChange>,
    /// The URIs of updated resources.
    updated: BTreeSet<Arc<str>>,
    /// Set if more than [`MAX_UPDATED`] resources were updated, so any resource may have changed.
    any_updated: bool,
}

impl ChangeSet {
    pub(crate) fn add(&mut self, change: RegistryChange) {
        let is_update = matches!(change, RegistryChange::ResourceUpdated(_));
        if (is_update && self.any_updated) || !self.note_change(&change) {
            return;
        }
        self.order.push_back(change);
        if is_update && self.order.len() > MAX_UPDATED {
            self.any_updated = true;
            self.retain_updates(&|_| false);
        }
    }

    /// Records a change. Returns whether it is new.
    fn note_change(&mut self, change: &RegistryChange) -> bool {
        match change {
            RegistryChange::ResourceUpdated(uri) => self.updated.insert(Arc::clone(uri)),
            list if self.lists.contains(list) => false,
            list => {
                self.lists.push(list.clone());
                true
            }
        }
    }

    fn retain_updates(&mut self, keep: &dyn Fn(&Arc<str>) -> bool) {
        let updated = &mut self.updated;
        self.order.retain(|change| match change {
            RegistryChange::ResourceUpdated(uri) => {
                let kept = keep(uri);
                if !kept {
                    updated.remove(uri);
                }
                kept
            }
            _ => true,
        });
    }
}

impl ChangeSet {
    pub fn is_empty(&self) -> bool {
        self.order.is_empty() && !self.any_updated
    }

    pub fn any_updated(&self) -> bool {
        self.any_updated
    }

    pub fn len(&self) -> usize {
        self.order.len()
    }

    pub fn contains(&self, change: &RegistryChange) -> bool {
        match change {
            RegistryChange::ResourceUpdated(uri) => self.updated.contains(uri),
            list => self.lists.contains(list),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &RegistryChange> {
        self.order.iter()
    }

    /// Removes and returns the oldest change.
    pub fn pop_change(&mut self) -> Option<RegistryChange> {
        let first = self.order.pop_front()?;
        match &first {
            RegistryChange::ResourceUpdated(uri) => {
                self.updated.remove(uri);
            }
            list => self.lists.retain(|known| known != list),
        }
        Some(first)
    }

    /// Adds a change without a limit. The caller must limit the number of changes.
    pub fn add_wanted(&mut self, change: &RegistryChange) {
        if self.note_change(change) {
            self.order.push_back(change.clone());
        }
    }

    /// Removes updates of resources unless `unless` returns `true` for them.
    pub fn forget_updates(&mut self, unless: &dyn Fn(&Arc<str>) -> bool) {
        self.retain_updates(unless);
    }
}

/// A watcher that receives the changes of a registry. A registry never waits for its watchers.
#[derive(Default)]
pub struct Watcher {
    unread: Mutex<ChangeSet>,
    news: Notify,
}

impl Watcher {
    /// Waits for a change made since the last call.
    pub async fn wait_for_changes(&self) {
        self.news.notified().await;
    }

    /// Takes all unread changes.
    pub fn take_changes(&self) -> ChangeSet {
        std::mem::take(&mut lock(&self.unread))
    }
}

#[derive(Default)]
pub(super) struct Changes {
    version: AtomicU64,
    watchers: Mutex<Vec<Weak<Watcher>>>,
}

impl Changes {
    /// Returns the version, which increases with each change of a list.
    pub(super) fn current_version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    pub(super) fn add_watcher(&self) -> Arc<Watcher> {
        let watcher = Arc::default();
        lock(&self.watchers).push(Arc::downgrade(&watcher));
        watcher
    }

    /// Records that a list changed.
    pub(super) fn list_changed(&self, change: RegistryChange) {
        self.version.fetch_add(1, Ordering::AcqRel);
        self.send_change(change);
    }

    pub(super) fn send_change(&self, change: RegistryChange) {
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
    fn repeated_change_is_stored_once() {
        let mut changes = ChangeSet::default();
        for _ in 0..3 {
            changes.add(updated("note://2"));
            changes.add(RegistryChange::Tools);
            changes.add(updated("note://1"));
        }
        let in_order = [updated("note://2"), RegistryChange::Tools, updated("note://1")];
        assert!(changes.order.iter().eq(&in_order), "{changes:?}");
        assert!(!changes.any_updated);
    }

    #[test]
    fn many_updates_collapse_into_one_flag() {
        let mut changes = ChangeSet::default();
        changes.add(RegistryChange::Prompts);
        for number in 0..=MAX_UPDATED {
            changes.add(updated(&format!("note://{number}")));
        }
        changes.add(updated("note://again"));
        assert!(changes.any_updated);
        assert!(changes.order.iter().eq(&[RegistryChange::Prompts]) && changes.updated.is_empty());
    }
}
