//! Notifications of changes. Each subscriber has a queue, so a slow subscriber does not delay others.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::interest::Interest;
use super::visibility::SeenLists;
use genkit_core::Registry;
use genkit_core::internal::registry::{ChangeSet, RegistryChange, Watcher};
use genkit_core::internal::sync::lock;

/// The time without changes after which clients are notified. Default is 100 milliseconds.
const QUIET: Duration = Duration::from_millis(100);

/// The maximum delay of a notification if changes continue. Default is 1 second.
const LONGEST_BATCH: Duration = Duration::from_secs(1);

/// Notifies clients of the changes that they subscribed to.
#[derive(Default)]
pub(crate) struct Notifier {
    subscribers: Arc<Subscribers>,
    /// Stops the task that watches the registry, when the server is dropped.
    task: Mutex<Option<DropGuard>>,
}

#[derive(Default)]
struct Subscribers {
    /// The queues by an internal number, because clients choose request ids, which can be equal.
    by_number: Mutex<BTreeMap<u64, Arc<NotificationQueue>>>,
    next: AtomicU64,
}

struct NotificationQueue {
    interest: Interest,
    seen: Mutex<SeenLists>,
    /// The unread changes. Duplicates are merged, so the client's subscriptions limit the size.
    unread: Mutex<ChangeSet>,
    news: Notify,
}

/// A subscription; ends on drop.
#[must_use = "dropping it ends the subscription"]
pub(crate) struct Subscription {
    number: u64,
    mailbox: Arc<NotificationQueue>,
    subscribers: Arc<Subscribers>,
}

impl Notifier {
    /// Subscribes to future changes in `registry`.
    pub(crate) fn subscribe(&self, interest: Interest, registry: &Registry) -> Subscription {
        let seen = Mutex::new(interest.seen_lists());
        let mailbox =
            NotificationQueue { interest, seen, unread: Mutex::default(), news: Notify::new() };
        let mailbox = Arc::new(mailbox);
        let number = self.subscribers.next.fetch_add(1, Ordering::Relaxed);
        lock(&self.subscribers.by_number).insert(number, Arc::clone(&mailbox));
        lock(&self.task).get_or_insert_with(|| {
            let stop = CancellationToken::new();
            let (watcher, subscribers) = (registry.watch_changes(), Arc::clone(&self.subscribers));
            tokio::spawn({
                let stop = stop.clone();
                async move { stop.run_until_cancelled(forward_changes(&watcher, &subscribers)).await }
            });
            stop.drop_guard()
        });
        Subscription { number, mailbox, subscribers: Arc::clone(&self.subscribers) }
    }
}

impl Subscription {
    /// Returns the next change that the subscriber requested. Cancel safe.
    pub(crate) async fn next(&mut self) -> RegistryChange {
        loop {
            if let Some(change) = self.mailbox.take_one() {
                return change;
            }
            self.mailbox.news.notified().await;
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        // Drop the queue after releasing the lock.
        let gone = lock(&self.subscribers.by_number).remove(&self.number);
        drop(gone);
    }
}

impl NotificationQueue {
    fn add(&self, changes: &ChangeSet) {
        let mut unread = lock(&self.unread);
        self.interest.add_wanted(changes, &mut lock(&self.seen), &mut unread);
        if !unread.is_empty() {
            self.news.notify_one();
        }
    }

    fn take_one(&self) -> Option<RegistryChange> {
        lock(&self.unread).pop_change()
    }
}

/// Adds each batch of changes to the queues of the subscribers that requested them.
async fn forward_changes(watcher: &Watcher, subscribers: &Subscribers) {
    loop {
        watcher.wait_for_changes().await;
        let latest = Instant::now() + LONGEST_BATCH;
        // Each change restarts the quiet time.
        while timeout_at(latest.min(Instant::now() + QUIET), watcher.wait_for_changes())
            .await
            .is_ok()
        {
            if Instant::now() >= latest {
                break;
            }
        }
        let changes = watcher.take_changes();
        let mailboxes: Vec<_> = lock(&subscribers.by_number).values().cloned().collect();
        for mailbox in mailboxes {
            mailbox.add(&changes);
            // Yield, so that many subscribers do not block other tasks.
            tokio::task::consume_budget().await;
        }
    }
}
