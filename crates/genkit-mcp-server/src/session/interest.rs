//! What a subscriber wants to hear of.

use std::sync::{Arc, Weak};

use rmcp::model::SubscriptionFilter;

use super::sees::SeenLists;
use super::{Sees, Session, Subscriptions};
use crate::error::Error as E;
use crate::quota::{Held, SessionQuota};
use genkit_core::internal::registry::{ChangeSet, RegistryChange};

/// How many changes of a batch are always told in the order in which they were made.
const IN_ORDER: usize = 64;

/// Which changes one subscriber is notified of.
pub(crate) enum Interest {
    /// A session of the older protocols: all lists, and what it is subscribed to at that time.
    Session(Weak<Session>),
    /// A `subscriptions/listen` stream.
    Listen(ListenFilter),
}

/// What a `subscriptions/listen` stream asked for, within its bounds.
pub(crate) struct ListenFilter {
    tools: bool,
    prompts: bool,
    resources: bool,
    uris: Subscriptions,
    sees: Sees,
    /// That it is counted among the streams.
    _stream: Held,
}

impl ListenFilter {
    /// Counts the stream and what it asks for as the client's.
    pub(crate) fn new(asked: &SubscriptionFilter, quota: &Arc<SessionQuota>) -> Result<Self, E> {
        let stream = quota.stream()?;
        let mut uris = Subscriptions::default();
        for uri in asked.resource_subscriptions.iter().flatten() {
            uris.add(uri, quota)?;
        }
        Ok(Self {
            tools: asked.tools_list_changed == Some(true),
            prompts: asked.prompts_list_changed == Some(true),
            resources: asked.resources_list_changed == Some(true),
            uris,
            sees: Sees::default(),
            _stream: stream,
        })
    }

    /// Of a client that sees no more than this.
    pub(crate) fn seeing(self, sees: Sees) -> Self {
        Self { sees, ..self }
    }
}

impl Interest {
    /// The lists as the subscriber sees them.
    pub(super) fn seen_lists(&self) -> SeenLists {
        match self {
            Self::Session(session) => {
                session.upgrade().map(|it| SeenLists::now(&it.sees())).unwrap_or_default()
            }
            Self::Listen(filter) => SeenLists::now(&filter.sees),
        }
    }

    /// Adds to `unread` what of `changes` this subscriber wants, and sees.
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
                    // What it gave up since then must not add up where it never reads.
                    unread.forget_updates(&|uri| uris.contains(uri));
                    add(changes, unread, &mut |list| seen.has_changed(list, &sees), uris, &sees);
                });
            }
            Self::Listen(filter) => {
                let sees = &filter.sees;
                let mut wants = |list: &_| filter.wants(list) && seen.has_changed(list, sees);
                add(changes, unread, &mut wants, &filter.uris, sees);
            }
        }
    }
}

impl ListenFilter {
    fn wants(&self, list: &RegistryChange) -> bool {
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
    sees: &Sees,
) {
    let updated = |uri: &Arc<str>| RegistryChange::ResourceUpdated(Arc::clone(uri));
    // In their order, unless there are so many that it is less work to look for one's own.
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
