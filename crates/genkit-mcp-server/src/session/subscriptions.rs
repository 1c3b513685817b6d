//! The resources that a client subscribed to, limited in number and in bytes.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::error::Error as E;
use crate::quota::{QuotaGuard, SessionQuota};
use genkit_core::internal::action::MAX_URI_BYTES;

/// The maximum number of resources that a client can subscribe to. Default is 10,000.
pub(crate) const MAX_SUBSCRIPTIONS: usize = 10_000;

/// The memory overhead of a subscription in addition to its text, in bytes.
const OVERHEAD: usize = 64;

/// The subscribed URIs, counted against the client's quota of bytes.
#[derive(Default)]
pub(crate) struct Subscriptions {
    uris: BTreeSet<Arc<str>>,
    bytes: Option<QuotaGuard>,
}

impl Subscriptions {
    pub(crate) fn add(&mut self, uri: &str, quota: &Arc<SessionQuota>) -> Result<(), E> {
        if uri.len() > MAX_URI_BYTES {
            return Err(E::LongUri(MAX_URI_BYTES));
        }
        if self.uris.contains(uri) {
            return Ok(());
        }
        if self.uris.len() >= MAX_SUBSCRIPTIONS {
            return Err(E::TooManySubscriptions(MAX_SUBSCRIPTIONS));
        }
        let bytes = uri.len() + OVERHEAD;
        match &mut self.bytes {
            Some(held) => held.grow_by(bytes)?,
            None => self.bytes = Some(quota.count_bytes(bytes)?),
        }
        self.uris.insert(uri.into());
        Ok(())
    }

    pub(crate) fn remove(&mut self, uri: &str) {
        if self.uris.remove(uri)
            && let Some(held) = &mut self.bytes
        {
            held.shrink_by(uri.len() + OVERHEAD);
        }
    }

    pub(crate) fn contains(&self, uri: &str) -> bool {
        self.uris.contains(uri)
    }

    pub(crate) fn len(&self) -> usize {
        self.uris.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<str>> {
        self.uris.iter()
    }
}
