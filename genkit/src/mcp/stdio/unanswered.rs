//! The requests that wait for their answer.

use std::collections::HashSet;

use rmcp::{
    RoleServer,
    model::{ClientNotification, ClientRequest, JsonRpcMessage, RequestId},
    service::TxJsonRpcMessage,
};

use super::message::Incoming;

/// Knows which requests came and were not answered.
#[derive(Debug, Default)]
pub(super) struct Unanswered(HashSet<RequestId>);

impl Unanswered {
    /// Takes note of what comes in.
    pub(super) fn came(&mut self, message: &Incoming) {
        match message {
            JsonRpcMessage::Request(request) => {
                // A stream of changes is answered when it is cancelled.
                if !matches!(request.request, ClientRequest::SubscriptionsListenRequest(_)) {
                    self.0.insert(request.id.clone());
                }
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.0.remove(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }

    /// Takes note of what goes out.
    pub(super) fn went(&mut self, message: &TxJsonRpcMessage<RoleServer>) {
        match message {
            JsonRpcMessage::Response(response) => self.0.remove(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref().is_some_and(|id| self.0.remove(id)),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => false,
        };
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
