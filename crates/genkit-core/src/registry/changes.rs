//! Changes of a registry: a version that grows, and those who watch it.

use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

use tokio::sync::Notify;

use crate::sync::lock;

/// Updated resources that a watcher is told one by one, if it does not read. Default is 1,000; more
/// are told as any.
const MAX_UPDATED: usize = 1_000;

/// A change that servers notify their clients of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RegistryChange {
    Tools,
    Prompts,
    Resources,
    ResourceUpdated(Arc<str>),
}

/// Changes that were not read yet: each is there once, however often it was made, in the order in
/// which they were made first.
#[derive(Clone, Debug, Default)]
pub struct ChangeSet {
    order: VecDeque<RegistryChange>,
    lists: Vec<RegistryChange>,
    /// The URIs of updated resources.
    updated: BTreeSet<Arc<str>>,
    /// More resources than are kept were updated: it may be any.
    any_updated: bool,
}

impl ChangeSet {
    pub(crate) fn add(&mut self, change: RegistryChange) {
        let is_update = matches!(change, RegistryChange::ResourceUpdated(_));
        if (is_update && self.any_updated) || !self.know(&change) {
            return;
        }
        self.order.push_back(change);
        if is_update && self.order.len() > MAX_UPDATED {
            self.any_updated = true;
            self.retain_updates(&|_| false);
        }
    }

    /// Notes that a change was made; returns whether it is new.
    fn know(&mut self, change: &RegistryChange) -> bool {
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

    /// The change that was made first.
    pub fn pop(&mut self) -> Option<RegistryChange> {
        let first = self.order.pop_front()?;
        match &first {
            RegistryChange::ResourceUpdated(uri) => {
                self.updated.remove(uri);
            }
            list => self.lists.retain(|known| known != list),
        }
        Some(first)
    }

    /// Adds a change without a bound: whoever does so has one.
    pub fn add_wanted(&mut self, change: &RegistryChange) {
        if self.know(change) {
            self.order.push_back(change.clone());
        }
    }

    /// Leaves out the updates of resources that nobody wants any more.
    pub fn forget_updates(&mut self, unless: &dyn Fn(&Arc<str>) -> bool) {
        self.retain_updates(unless);
    }
}

/// Sees the changes of a registry while it is there. A registry never waits for it.
#[derive(Default)]
pub struct Watcher {
    unread: Mutex<ChangeSet>,
    news: Notify,
}

impl Watcher {
    /// Waits for a change that was made since this was called last.
    pub async fn news(&self) {
        self.news.notified().await;
    }

    /// Everything that was not read.
    pub fn take(&self) -> ChangeSet {
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
    pub(super) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

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
            changes.add(updated("note://2"));
            changes.add(RegistryChange::Tools);
            changes.add(updated("note://1"));
        }
        let in_order = [updated("note://2"), RegistryChange::Tools, updated("note://1")];
        assert!(changes.order.iter().eq(&in_order), "{changes:?}");
        assert!(!changes.any_updated);
    }

    #[test]
    fn of_many_updated_resources_only_that_there_were_some_is_kept() {
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
