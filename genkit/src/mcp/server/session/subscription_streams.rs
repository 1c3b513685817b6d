//! Subscription streams: which `subscriptions/listen` requests of a connection are established.

use std::collections::HashSet;

use rmcp::model::RequestId;
use tokio::sync::watch;

/// The streams whose acknowledgement was written: rmcp cancels no other.
#[derive(Clone, Default)]
pub(crate) struct SubscriptionStreams(watch::Sender<HashSet<RequestId>>);

impl SubscriptionStreams {
    pub(crate) fn established(&self, id: RequestId) {
        self.0.send_modify(|ids| {
            ids.insert(id);
        });
    }

    pub(crate) fn ended(&self, id: &RequestId) {
        self.0.send_modify(|ids| {
            ids.remove(id);
        });
    }

    /// Waits until each of these is established.
    pub(crate) async fn all_established(&self, wanted: &[RequestId]) {
        let mut ids = self.0.subscribe();
        // An error is the end of the sender, which `self` holds.
        let _ = ids.wait_for(|ids| wanted.iter().all(|id| ids.contains(id))).await;
    }
}
