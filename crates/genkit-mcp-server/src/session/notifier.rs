//! Notifications of changes: each subscriber has what it has not read, and nobody waits for it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::interest::Interest;
use super::sees::SeenLists;
use genkit_core::Registry;
use genkit_core::internal::registry::{ChangeSet, RegistryChange, Watcher};
use genkit_core::internal::sync::lock;

/// How long no more changes must come before clients are notified of those that came. Default is
/// 100 milliseconds.
const QUIET: Duration = Duration::from_millis(100);

/// How long clients wait for a notification where changes do not end. Default is 1 second.
const LONGEST_BATCH: Duration = Duration::from_secs(1);

/// Notifies the clients that want to hear of changes.
#[derive(Default)]
pub(crate) struct Notifier {
    subscribers: Arc<Subscribers>,
    /// Ends the task that watches the registry when the server goes.
    task: Mutex<Option<DropGuard>>,
}

#[derive(Default)]
struct Subscribers {
    /// By a number of their own: ids of requests are chosen by clients, and may be equal.
    by_number: Mutex<BTreeMap<u64, Arc<Mailbox>>>,
    next: AtomicU64,
}

struct Mailbox {
    interest: Interest,
    seen: Mutex<SeenLists>,
    /// What is here more than once is told once, so it is bounded by what the client asked for.
    unread: Mutex<ChangeSet>,
    news: Notify,
}

/// One subscriber, until it is dropped.
#[must_use = "who is dropped is not notified"]
pub(crate) struct Subscription {
    number: u64,
    mailbox: Arc<Mailbox>,
    subscribers: Arc<Subscribers>,
}

impl Notifier {
    /// Notifies of what changes from now on in `registry`.
    pub(crate) fn subscribe(&self, interest: Interest, registry: &Registry) -> Subscription {
        let seen = Mutex::new(interest.seen_lists());
        let mailbox = Mailbox { interest, seen, unread: Mutex::default(), news: Notify::new() };
        let mailbox = Arc::new(mailbox);
        let number = self.subscribers.next.fetch_add(1, Ordering::Relaxed);
        lock(&self.subscribers.by_number).insert(number, Arc::clone(&mailbox));
        lock(&self.task).get_or_insert_with(|| {
            let stop = CancellationToken::new();
            let (watcher, subscribers) = (registry.watch(), Arc::clone(&self.subscribers));
            tokio::spawn({
                let stop = stop.clone();
                async move { stop.run_until_cancelled(forward(&watcher, &subscribers)).await }
            });
            stop.drop_guard()
        });
        Subscription { number, mailbox, subscribers: Arc::clone(&self.subscribers) }
    }
}

impl Subscription {
    /// The next change that this subscriber wants to hear of. Cancel safe.
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
        // What it holds is given back after the lock.
        let gone = lock(&self.subscribers.by_number).remove(&self.number);
        drop(gone);
    }
}

impl Mailbox {
    fn add(&self, changes: &ChangeSet) {
        let mut unread = lock(&self.unread);
        self.interest.add_wanted(changes, &mut lock(&self.seen), &mut unread);
        if !unread.is_empty() {
            self.news.notify_one();
        }
    }

    fn take_one(&self) -> Option<RegistryChange> {
        lock(&self.unread).pop()
    }
}

/// Puts each batch of changes into the mailboxes of those that want it.
async fn forward(watcher: &Watcher, subscribers: &Subscribers) {
    loop {
        watcher.news().await;
        let latest = Instant::now() + LONGEST_BATCH;
        // More news within the quiet time begin it anew.
        while timeout_at(latest.min(Instant::now() + QUIET), watcher.news()).await.is_ok() {
            if Instant::now() >= latest {
                break;
            }
        }
        let changes = watcher.take();
        let mailboxes: Vec<_> = lock(&subscribers.by_number).values().cloned().collect();
        for mailbox in mailboxes {
            mailbox.add(&changes);
            // Many subscribers must not hold up what else runs here.
            tokio::task::consume_budget().await;
        }
    }
}
