//! The changes that a subscriber is notified of.

use std::sync::{Arc, Weak};

use rmcp::model::SubscriptionFilter;

use super::visibility::SeenLists;
use super::{Session, Subscriptions, Visibility};
use crate::error::Error as E;
use crate::quota::{QuotaGuard, SessionQuota};
use genkit_core::internal::registry::{ChangeSet, RegistryChange};

/// The maximum size of a batch whose order is always preserved, in changes.
const IN_ORDER: usize = 64;

/// The changes that a subscriber is notified of.
pub(crate) enum Interest {
    /// A session of an older protocol: changes of all lists, and its current subscriptions.
    Session(Weak<Session>),
    /// A `subscriptions/listen` stream.
    Listen(ListenFilter),
}

/// The changes that a `subscriptions/listen` request selects, within its limits.
pub(crate) struct ListenFilter {
    tools: bool,
    prompts: bool,
    resources: bool,
    uris: Subscriptions,
    sees: Visibility,
    /// Counts the stream until the filter is dropped.
    _stream: QuotaGuard,
}

impl ListenFilter {
    /// Creates the filter, and counts the stream and its subscriptions for the client.
    pub(crate) fn new(asked: &SubscriptionFilter, quota: &Arc<SessionQuota>) -> Result<Self, E> {
        let stream = quota.open_stream()?;
        let mut uris = Subscriptions::default();
        for uri in asked.resource_subscriptions.iter().flatten() {
            uris.add(uri, quota)?;
        }
        Ok(Self {
            tools: asked.tools_list_changed == Some(true),
            prompts: asked.prompts_list_changed == Some(true),
            resources: asked.resources_list_changed == Some(true),
            uris,
            sees: Visibility::default(),
            _stream: stream,
        })
    }

    /// Limits the filter to the items that the client has access to.
    pub(crate) fn limit_to(self, sees: Visibility) -> Self {
        Self { sees, ..self }
    }
}

impl Interest {
    /// Returns the lists that are currently visible to the subscriber.
    pub(super) fn seen_lists(&self) -> SeenLists {
        match self {
            Self::Session(session) => {
                session.upgrade().map(|it| SeenLists::current_lists(&it.sees())).unwrap_or_default()
            }
            Self::Listen(filter) => SeenLists::current_lists(&filter.sees),
        }
    }

    /// Copies the `changes` that this subscriber requested and has access to into `unread`.
    pub(super) fn add_wanted(
        &self,
        changes: &ChangeSet,
        seen: &mut SeenLists,
        unread: &mut ChangeSet,
    ) {
        match self {
            Self::Session(session) => {
                let Some(session) = session.upgrade() else { return };
                let sees = session.sees();
                session.with_subscriptions(|uris| {
                    // Drop updates of former subscriptions, so that they do not accumulate if the client never reads.
                    unread.forget_updates(&|uri| uris.contains(uri));
                    add(changes, unread, &mut |list| seen.has_changed(list, &sees), uris, &sees);
                });
            }
            Self::Listen(filter) => {
                let sees = &filter.sees;
                let mut wants =
                    |list: &_| filter.matches_change(list) && seen.has_changed(list, sees);
                add(changes, unread, &mut wants, &filter.uris, sees);
            }
        }
    }
}

impl ListenFilter {
    fn matches_change(&self, list: &RegistryChange) -> bool {
        match list {
            RegistryChange::Tools => self.tools,
            RegistryChange::Prompts => self.prompts,
            RegistryChange::Resources => self.resources,
            RegistryChange::ResourceUpdated(_) => false,
        }
    }
}

fn add(
    changes: &ChangeSet,
    unread: &mut ChangeSet,
    wants: &mut dyn FnMut(&RegistryChange) -> bool,
    uris: &Subscriptions,
    sees: &Visibility,
) {
    let updated = |uri: &Arc<str>| RegistryChange::ResourceUpdated(Arc::clone(uri));
    // Preserve the order, unless it is cheaper to look up each subscription in a large batch.
    let few = changes.len() <= uris.len().max(IN_ORDER);
    for change in changes.iter().take(if few { usize::MAX } else { 0 }) {
        let is_wanted = match change {
            RegistryChange::ResourceUpdated(uri) => uris.contains(uri) && sees.uri(uri),
            list => wants(list),
        };
        if is_wanted {
            unread.add_wanted(change);
        }
    }
    if !few {
        let lists = [RegistryChange::Tools, RegistryChange::Prompts, RegistryChange::Resources];
        let updates = uris.iter().filter(|uri| changes.contains(&updated(uri)) && sees.uri(uri));
        let lists = lists.into_iter().filter(|list| changes.contains(list) && wants(list));
        for change in lists.chain(updates.map(updated)) {
            unread.add_wanted(&change);
        }
    }
    if changes.any_updated() {
        let seen = uris.iter().filter(|uri| sees.uri(uri));
        seen.for_each(|uri| unread.add_wanted(&updated(uri)));
    }
}
