//! The journal of a stream without the feature `durable`, which stores nothing.

use std::sync::Arc;

use bytes::Bytes;

/// An uninhabited type, because there is no journal.
pub(in super::super) enum StreamJournal {}

impl StreamJournal {
    pub(super) async fn store_and_send(self: Arc<Self>, _: Bytes) -> bool {
        match *self {}
    }
}
