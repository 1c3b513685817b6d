//! What a subscriber wants to hear of.

use std::sync::{Arc, Weak};

use rmcp::model::SubscriptionFilter;

use super::{Session, Subscriptions};
use crate::mcp::server::error::Error as E;
use crate::mcp::server::quota::{Held, SessionQuota};
use crate::registry::ChangeSet;

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
            _stream: stream,
        })
    }
}

impl Interest {
    /// Adds to `unread` what of `changes` this subscriber wants.
    pub(super) fn add_wanted(&self, changes: &ChangeSet, unread: &mut ChangeSet) {
        match self {
            Self::Session(session) => {
                let Some(session) = session.upgrade() else { return };
                unread.tools |= changes.tools;
                unread.prompts |= changes.prompts;
                unread.resources |= changes.resources;
                session.with_subscriptions(|uris| {
                    // What it gave up since then must not add up where it never reads.
                    unread.updated.retain(|uri| uris.contains(uri));
                    add_updated(uris, changes, unread);
                });
            }
            Self::Listen(filter) => {
                unread.tools |= changes.tools && filter.tools;
                unread.prompts |= changes.prompts && filter.prompts;
                unread.resources |= changes.resources && filter.resources;
                add_updated(&filter.uris, changes, unread);
            }
        }
    }
}

/// Goes through the smaller of both.
fn add_updated(uris: &Subscriptions, changes: &ChangeSet, unread: &mut ChangeSet) {
    if changes.any_updated {
        unread.updated.extend(uris.iter().cloned());
    } else if uris.len() < changes.updated.len() {
        let updated = uris.iter().filter(|uri| changes.updated.contains(*uri));
        unread.updated.extend(updated.cloned());
    } else {
        let wanted = changes.updated.iter().filter(|uri| uris.contains(uri));
        unread.updated.extend(wanted.cloned());
    }
}
