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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn it_waits_for_every_stream_that_is_not_established_yet() {
        let streams = SubscriptionStreams::default();
        let (first, second) = (RequestId::Number(1), RequestId::Number(2));
        streams.all_established(&[]).await;
        streams.established(first.clone());
        streams.all_established(std::slice::from_ref(&first)).await;
        let waiting = tokio::spawn({
            let (streams, both) = (streams.clone(), [first.clone(), second.clone()]);
            async move { streams.all_established(&both).await }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        streams.established(second);
        waiting.await.expect("an end");
        streams.ended(&first);
        let brief = std::time::Duration::from_millis(5);
        let again = tokio::time::timeout(brief, streams.all_established(&[first])).await;
        assert!(again.is_err(), "it has ended");
    }
}
