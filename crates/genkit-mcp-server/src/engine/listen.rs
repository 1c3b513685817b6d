//! A `subscriptions/listen` request, which is acknowledged and then sends notifications until it is
//! cancelled.

use bytes::Bytes;
use rmcp::model::{
    Implementation, NotificationMetaObject, RequestId, SubscriptionFilter,
    SubscriptionsAcknowledgedNotificationParams, SubscriptionsListenResult,
};
use tokio_util::sync::CancellationToken;

use super::request_span::RequestSpan;
use crate::audit::Audit;
use crate::caller::message;
use crate::caller::message::Reply;
use crate::caller::notifications;
use crate::session::{MAX_SUBSCRIPTIONS, OpenRequest, Subscription};

/// A stream of notifications to a client.
#[must_use = "a stream sends nothing unless it is polled"]
pub(crate) struct ListenStream {
    acknowledgement: Option<Bytes>,
    changes: Subscription,
    open: OpenRequest,
    cancel: CancellationToken,
    server: Implementation,
    /// Dropped unfinished if the client has disconnected.
    audit: Audit,
    /// The span, if tracing is enabled.
    told: Option<Box<RequestSpan>>,
}

impl ListenStream {
    pub(super) fn new(
        open: OpenRequest,
        cancel: CancellationToken,
        accepted: SubscriptionFilter,
        changes: Subscription,
        server: Implementation,
        audit: Audit,
    ) -> Self {
        let acknowledgement = Some(encode_acknowledgement(open.id(), accepted));
        Self { acknowledgement, changes, open, cancel, server, audit, told: None }
    }

    /// Adds a span that records the stream and its outcome.
    pub(super) fn with_span(mut self, told: Box<RequestSpan>) -> Self {
        self.told = Some(told);
        self
    }

    /// Returns the next message, or `None` once the client has cancelled the stream. Cancel safe.
    pub(crate) async fn next(&mut self) -> Option<Bytes> {
        if let Some(first) = self.acknowledgement.take() {
            return Some(first);
        }
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => None,
            change = self.changes.next() => Some(notifications::encode_change(&change, Some(self.open.id()))),
        }
    }

    /// Ends the stream and returns its response, or `None` if the client has cancelled it.
    pub(crate) fn finish(self) -> Option<Reply> {
        let id = self.open.id().clone();
        if !self.open.finish_request() {
            return None;
        }
        self.audit.record_outcome("ok", None);
        let mut result = SubscriptionsListenResult::complete(id.clone());
        result.meta.set_server_info(self.server);
        let reply = message::result_reply(&id, &result);
        if let Some(told) = self.told {
            told.end_span(&reply);
        }
        Some(reply)
    }
}

/// Returns the accepted part of a filter: all requested notifications, for at most [`MAX_SUBSCRIPTIONS`] resources.
pub(super) fn accept_filter(asked: SubscriptionFilter) -> SubscriptionFilter {
    let mut accepted = asked;
    for flag in [
        &mut accepted.tools_list_changed,
        &mut accepted.prompts_list_changed,
        &mut accepted.resources_list_changed,
    ] {
        *flag = flag.filter(|wanted| *wanted);
    }
    accepted.resource_subscriptions = accepted.resource_subscriptions.filter(|u| !u.is_empty());
    if let Some(uris) = &mut accepted.resource_subscriptions {
        uris.truncate(MAX_SUBSCRIPTIONS);
    }
    accepted
}

fn encode_acknowledgement(id: &RequestId, accepted: SubscriptionFilter) -> Bytes {
    let mut meta = NotificationMetaObject::new();
    meta.set_subscription_id(id.clone());
    let params = SubscriptionsAcknowledgedNotificationParams::new(accepted).with_meta(meta);
    notifications::encode_notification("notifications/subscriptions/acknowledged", &params)
}
